# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print counts as CSV."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from counts import Counts, cpu, thread

COLUMNS = "time,cpu,pid,tid,comm,event,count,deviation,share,ratio,unit,cgroup"


def rows(text: str, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(text.splitlines(), delimiter=separator))


def test_csv_header_names_columns(counts: Counts) -> None:
    printed = counts.printed("--csv -e r1", *thread(5), "end 0")
    assert printed.splitlines()[0] == COLUMNS
    assert rows(printed)[1:] == [
        ["", "", "", "7", "worker", "r1", "5", "", "100.00", "", "", ""]
    ]


def test_csv_quotes_text_with_separator(counts: Counts) -> None:
    script = ['thread 7 a,"b"', "count 5", "end 0"]
    (row,) = rows(counts.printed("--csv -e software/config=2,config1=7/", *script))[1:]
    assert row[4:7] == ['a,"b"', "software/config=2,config1=7/", "5"]


@pytest.mark.parametrize(("given", "separator"), [(";", ";"), ("\\t", "\t")])
def test_separator(counts: Counts, given: str, separator: str) -> None:
    options = f"--csv={given} --system-wide -e cpu-clock,page-faults"
    script = [*cpu(2, 10**9, 1000), "times 2000000000 0 0", "end 0"]
    printed = rows(counts.printed(options, *script), separator)
    assert printed[0] == COLUMNS.split(",")
    assert printed[2] == [
        *("", "2", "", "", "", "page-faults", "1000", "", "100.00"),
        *("1000.000000", "/sec", ""),
    ]


def test_csv_uncounted_event_has_no_share(counts: Counts) -> None:
    script = [*thread("unsupported"), "end 0"]
    (row,) = rows(counts.printed("--csv -e r1", *script))[1:]
    assert row[6:] == ["<not supported>", "", "", "", "", ""]


def test_deviations_and_times_of_intervals(counts: Counts) -> None:
    run = [*thread(100), "end 0", *thread(100), "end 0"]
    (row,) = rows(counts.printed("--csv -r 2 -e r1", *run))[1:]
    assert row[6:8] == ["100", "0.0000"]
    script = [*thread(1), "times 1500000000 0 0", "end 0"]
    (row,) = rows(counts.printed("--csv --print-interval=500 -e r1", *script))[1:]
    assert row[0] == "1.500000000"


def test_csv_header_is_written_once(counts: Counts, tmp_path: Path) -> None:
    for _ in range(2):
        options = f"--csv --append -o {tmp_path}/counts -e r1"
        assert counts.printed(options, *thread(5), "end 0") == ""
    lines = (tmp_path / "counts").read_text().splitlines()
    assert lines[0] == COLUMNS
    assert len(lines) == 3 and lines[1] == lines[2]
