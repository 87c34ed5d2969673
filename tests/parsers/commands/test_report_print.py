# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print reports as CSV; test_report.py tests text and JSON."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from helpers.cli import run
from helpers.writers import (
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    json_chunk,
    mapped,
    mapping,
    pmd,
    session,
)

Capsys = pytest.CaptureFixture[str]
NASTY = '/a "b",c\nd'


def rows(capsys: Capsys, *argv: str) -> list[dict[str, str]]:
    """Return the rows of a CSV report."""
    status, out, _ = run(capsys, "report", "--csv", *argv)
    assert status == 0
    return list(csv.DictReader(io.StringIO(out)))


def test_report_csv_has_keys_counts_and_details(tmp_path: Path, capsys: Capsys) -> None:
    path = tmp_path / "x.pfm"
    samples = [Sample(ip=0x1000, cpu=cpu) for cpu in (1, 1, 2)]
    path.write_bytes(captured(samples, mapped(mapping(0x1000, 0x2000, 0, NASTY))))
    assert rows(capsys, "--by", "function,cpu", str(path)) == [
        {
            "function": NASTY,
            "cpu": cpu,
            "count": count,
            "percent": percent,
            "symbol": "",
            "object": NASTY,
        }
        for cpu, count, percent in (("1", "2", "66.6667"), ("2", "1", "33.3333"))
    ]


def test_report_csv_has_weights_and_pmd_statistics(
    tmp_path: Path, capsys: Capsys
) -> None:
    path = tmp_path / "x.pfm"
    samples = [Sample(pmds=((3, 10),)), Sample(pmds=((3, 20),))]
    sess = json_chunk("SESS", session({0: [pmd(0, [3])]}))
    path.write_bytes(capture(sess, bufr(buffer(samples))))
    argv = ["--by", "cpu", "--weight", "period", "--pmd", "3", "--stat", "sum,mean"]
    (row,) = rows(capsys, *argv, str(path))
    assert row["period"] == "2000"
    assert (row["pmd3 sum"], row["pmd3 mean"]) == ("30", "15.0")


def test_report_csv_without_samples_is_a_header(tmp_path: Path, capsys: Capsys) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(captured([]))
    status, out, _ = run(capsys, "report", "--csv", "--by", "cpu,tid", str(path))
    assert (status, out) == (0, "cpu,tid,count,percent\n")


def test_report_refuses_csv_with_json(file: str, capsys: Capsys) -> None:
    status, out, err = run(capsys, "report", "--csv", "--json", file)
    assert (status, out) == (1, "") and "cannot be combined" in err
