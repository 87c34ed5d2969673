# SPDX-License-Identifier: MIT OR GPL-2.0
"""The timeline command."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cli import run, told
from helpers.writers import Sample, simple_capture

Capsys = pytest.CaptureFixture[str]
MS = 10**6
SAMPLES = [
    Sample(tstamp=1000 * MS, cpu=0),
    Sample(tstamp=1009 * MS, cpu=1),
    Sample(tstamp=1035 * MS, cpu=1),
    Sample(tstamp=1031 * MS, cpu=1),
]


@pytest.fixture
def timed(tmp_path: Path) -> str:
    """Write a capture of four samples within 35 ms."""
    path = tmp_path / "timed.pfm"
    path.write_bytes(simple_capture(SAMPLES))
    return str(path)


def test_samples_are_counted_by_step_and_key(timed: str, capsys: Capsys) -> None:
    argv = ["timeline", "--step", "10ms", "--by", "cpu", timed]
    found = told(capsys, *argv)
    assert (found["step_ns"], found["steps"]) == (10 * MS, 4)
    assert found["columns"] == [
        {"key": 1, "steps": [[0, 1], [3, 2]]},
        {"key": 0, "steps": [[0, 1]]},
    ]


def test_text_has_a_line_for_each_step_even_without_samples(
    timed: str, capsys: Capsys
) -> None:
    argv = ["timeline", "--step", "10ms", "--by", "cpu", "--top", "1", timed]
    _, out, _ = run(capsys, *argv)
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["seconds", "1", "others"]
    assert lines[1:5] == [
        ["0.000000", "1", "1", "#" * 40],
        ["0.010000", "0", "0"],
        ["0.020000", "0", "0"],
        ["0.030000", "2", "0", "#" * 40],
    ]


def test_without_a_key_all_samples_are_one_column(timed: str, capsys: Capsys) -> None:
    found = told(capsys, "timeline", "--step", "1s", timed)
    assert found["columns"] == [{"key": "samples", "steps": [[0, 4]]}]


def test_weights_are_added_up(timed: str, capsys: Capsys) -> None:
    found = told(capsys, "timeline", "--step", "1s", "--weight", "period", timed)
    assert found["columns"][0]["steps"] == [[0, 4000]]


def test_selected_part_of_the_time_begins_at_0(timed: str, capsys: Capsys) -> None:
    found = told(capsys, "timeline", "--step", "10ms", "--time", "20ms-", timed)
    assert (found["steps"], found["columns"][0]["steps"]) == (1, [[0, 2]])


def test_too_many_steps_are_refused(timed: str, capsys: Capsys) -> None:
    status, out, err = run(capsys, "timeline", "--step", "10ns", timed)
    assert (status, out) == (1, "")
    assert "3500001 steps of 10 ns are more than 1048576" in err


def test_no_samples_are_an_empty_timeline(tmp_path: Path, capsys: Capsys) -> None:
    path = tmp_path / "none.pfm"
    path.write_bytes(simple_capture([]))
    assert told(capsys, "timeline", str(path))["columns"] == []
    status, out, _ = run(capsys, "timeline", str(path))
    assert status == 0 and "count: 0" in out


def test_step_has_to_be_a_time(timed: str, capsys: Capsys) -> None:
    with pytest.raises(SystemExit):
        run(capsys, "timeline", "--step", "soon", timed)
    assert "must be a time such as" in capsys.readouterr().err
    status, _, err = run(capsys, "timeline", "--step", "0s", timed)
    assert status == 1 and "--step must be at least 1ns" in err
    with pytest.raises(SystemExit):
        run(capsys, "timeline", "--step", "20000000000s", timed)
    assert "must be less than 2^64 ns" in capsys.readouterr().err


def test_only_one_key_can_be_beside_the_time(timed: str, capsys: Capsys) -> None:
    status, out, err = run(capsys, "timeline", "--by", "tid,cpu", timed)
    assert (status, out) == (1, "")
    assert "--by takes one key, not 'tid,cpu'" in err


def test_json_has_all_columns(timed: str, capsys: Capsys) -> None:
    found = told(capsys, "timeline", "--by", "cpu", "--top", "1", timed)
    assert len(found["columns"]) == 2
