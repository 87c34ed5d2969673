# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that exports of rows and stacks agree with the report for every format."""

from __future__ import annotations

import csv
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Callable, Iterable

import numpy as np
import pytest
from helpers.exporting import NAMES, by_label, exported

# Rows of a function's name, its samples and the sum of its periods.
Sums = Iterable[tuple[str, int, int]]


def in_csv(file: Path) -> Sums:
    """Yield the rows of a CSV file."""
    with file.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream, strict=True):
            count, weight = int(row["count"]), int(row["weight"])
            assert int(row["period"]) == weight // count
            yield row["function"] or row["object"], count, weight


def in_npz(file: Path) -> Sums:
    """Yield the rows of an npz file."""
    with np.load(file) as arrays:
        names = arrays["names"].tobytes().decode().split("\0")
        samples = arrays["samples"]
        places = arrays["places"][samples["place"]]
    assert (samples["period"] == samples["weight"] // samples["count"]).all()
    named = np.where(places["function"] > 0, places["function"], places["object"])
    numbers = zip(*(samples[name].tolist() for name in ("count", "weight")))
    for name, (count, weight) in zip(named.tolist(), numbers):
        yield names[name], count, weight


def in_sql(file: Path) -> Sums:
    """Yield the rows of a database view."""
    with closing(sqlite3.connect(file)) as link:
        yield from link.execute("SELECT function, samples, period FROM by_function")


def sums(found: Sums) -> tuple[Counter[str], Counter[str]]:
    """Sum up samples and periods by function."""
    counts, periods = Counter[str](), Counter[str]()
    for name, count, period in found:
        counts[name] += count
        periods[name] += period
    return counts, periods


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "read,to,options",
    [
        (in_csv, "csv", ["--weight", "period"]),
        (in_npz, "npz", ["--weight", "period"]),
        (in_sql, "sql", []),
        (in_sql, "sql", ["--rows", "sample"]),
    ],
)
def test_rows_agree_with_report(
    name: str,
    read: Callable[[Path], Sums],
    to: str,
    options: list[str],
    captures: dict[str, Path],
    tmp_path: Path,
) -> None:
    file = exported(captures[name], to, tmp_path / "x", *options)
    assert sums(read(file)) == (
        by_label(captures[name]),
        by_label(captures[name], "--weight", "period"),
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weight", ["count", "period"])
def test_folded_stacks_agree_with_report(
    name: str, weight: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    options = ("--weight", weight)
    file = exported(captures[name], "folded", tmp_path / "x", *options)
    found: Counter[str] = Counter()
    for line in file.read_text().splitlines():
        stack, number = line.rsplit(" ", 1)
        found[stack.rpartition(";")[2]] += int(number)
    assert found == by_label(captures[name], *options)
