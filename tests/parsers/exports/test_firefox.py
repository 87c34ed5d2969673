# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export processed profiles of Firefox Profiler."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Iterator

import pytest
from helpers import every_format
from helpers.exporting import NAMES, by_label, exported, reported
from helpers.stacks_capture import WORKER, Stack, stack_capture
from pfmparse.exports import firefox


def threads(path: Path) -> Any:
    """Return the threads of a profile; check that its version is the one tested."""
    document = json.loads(path.read_text())
    assert document["meta"]["preprocessedProfileVersion"] == 48
    return document["threads"]


def stacks(thread: Any) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield each sample's functions, innermost first, and its weight."""
    names, functions = thread["stringArray"], thread["funcTable"]["name"]
    table, frames = thread["stackTable"], thread["frameTable"]
    for at, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
        found = []
        while at is not None:
            found.append(names[functions[frames["func"][table["frame"][at]]]])
            before = table["prefix"][at]
            assert before is None or before < at
            at = before
        yield tuple(found), weight


def innermost(all_of_them: Any, title: str = "") -> Counter[str]:
    """Sum weights by innermost function in the threads with this title."""
    counts: Counter[str] = Counter()
    for thread in all_of_them:
        if title in thread["name"]:
            for stack, weight in stacks(thread):
                counts[stack[0]] += weight
    return counts


@pytest.mark.parametrize("name", NAMES)
def test_firefox_functions_agree_with_report(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = captures[name]
    found = threads(exported(file, "firefox", tmp_path / "f"))
    assert innermost(found) == by_label(file)
    if name != "pebs32":
        assert innermost(found, "loads, ") == by_label(file, "--event", "loads")


def test_firefox_table_lengths_match_their_columns(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    for thread in threads(exported(captures["callstack"], "firefox", tmp_path / "f")):
        tables = [table for table in thread.values() if "length" in dict_of(table)]
        assert len(tables) == 7
        for table in tables:
            lengths = {len(c) for c in table.values() if isinstance(c, list)}
            assert lengths == {table["length"]}


def dict_of(value: Any) -> Any:
    """Return the value if it is a dictionary, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def test_firefox_times_are_relative_to_first_sample(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    document = exported(captures["default"], "firefox", tmp_path / "f").read_text()
    step = json.loads(document)["meta"]["interval"]
    assert 0 < step <= 1
    times: Counter[float] = Counter()
    for thread in json.loads(document)["threads"]:
        found = thread["samples"]["time"]
        assert found == sorted(found)
        times.update(found)
    # The 100 samples are 1 us apart.
    first = every_format.FIRST_TIME / 1e6
    last = first + 0.099
    assert min(times) == 0 and max(times) <= last - first + step


def test_firefox_numbers_samples_without_times(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    for thread in threads(exported(captures["histogram"], "firefox", tmp_path / "f")):
        assert thread["samples"]["time"] == list(range(thread["samples"]["length"]))


def test_firefox_categories_are_kernel_and_user(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    file = captures["nway"]
    path = exported(file, "firefox", tmp_path / "f")
    names = [one["name"] for one in json.loads(path.read_text())["meta"]["categories"]]
    counts: Counter[str] = Counter()
    for thread in threads(path):
        samples, table = thread["samples"], thread["stackTable"]
        for at, weight in zip(samples["stack"], samples["weight"]):
            counts[names[table["category"][at]].lower()] += weight
    rows = reported(file, "--by", "kernel")
    assert counts == {row["key"]: row["count"] for row in rows}


def test_firefox_stacks_have_their_callers(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    found: Counter[tuple[str, ...]] = Counter()
    for thread in threads(exported(captures["callstack"], "firefox", tmp_path / "f")):
        for stack, weight in stacks(thread):
            found[stack] += weight
    assert found["hot", "main"] == 60 and found["warm", "main"] == 30
    assert found["do_work", "_text", "hot", "main"] == 3


def test_firefox_interval_fits_selected_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(firefox, "ROWS", 10)
    others = [Stack((name,), 50) for name in ("hot", "warm", "main")]
    path = tmp_path / "x.pfm"
    path.write_bytes(stack_capture([*others, Stack(("hot",), 5, tid=WORKER)]))

    def interval(*options: str) -> Any:
        out = exported(path, "firefox", tmp_path / "f", *options)
        return json.loads(out.read_text())["meta"]["interval"]

    assert interval("--tid", str(WORKER)) == firefox.SHORTEST / firefox.MS
    assert interval() > firefox.SHORTEST / firefox.MS
