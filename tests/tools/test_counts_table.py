# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print counts as a table."""

from __future__ import annotations

from counts import Counts, cpu, thread


def test_table_has_cpu_rows_and_event_columns(counts: Counts) -> None:
    script = [*cpu(0, 10, 20, "unsupported"), *cpu(12, 5, "denied", 6), "end 0"]
    lines = counts.printed("--table --system-wide -e r1,r2,r3", *script).splitlines()
    assert [line.split() for line in lines] == [
        ["CPU", "r1", "r2", "r3"],
        ["CPU0", "10", "20", "<not", "supported>"],
        ["CPU12", "5", "<not", "counted>", "6"],
    ]
    assert len({len(line) for line in lines}) == 1


def test_table_shows_dash_for_event_of_other_cpu(counts: Counts) -> None:
    script = [*cpu(0, 10, 20), *cpu(1, 5, 0), "end 0"]
    options = "--table --system-wide -e cpu-clock,cpu-clock@0"
    assert counts.lines(options, *script)[1:] == [
        ["CPU0", "10", "20"],
        ["CPU1", "5", "-"],
    ]


def test_table_names_threads(counts: Counts) -> None:
    (_, row) = counts.lines("--table -e r1", *thread(3), "end 0")
    assert row == ["7", "worker", "3"]


def test_table_has_row_for_sum(counts: Counts) -> None:
    script = [*cpu(0, 10), *cpu(1, 5), "end 0"]
    options = "--table --system-wide --aggregate-results -e r1"
    assert counts.lines(options, *script)[1:] == [["all", "15"]]


def test_table_interval_follows_its_time(counts: Counts) -> None:
    script = [*thread(3), "times 1500000000 0 0", "end 0"]
    lines = counts.lines("--table --print-interval=1000 -e r1", *script)
    assert lines[0] == ["1.500000", "s"]
    assert len(lines) == 3
