# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the timeline command."""

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
    """Return the path of a capture of four samples within 35 ms."""
    path = tmp_path / "timed.pfm"
    path.write_bytes(simple_capture(SAMPLES))
    return str(path)


def test_timeline_counts_by_step_and_key(timed: str, capsys: Capsys) -> None:
    argv = ["timeline", "--step", "10ms", "--by", "cpu", timed]
    found = told(capsys, *argv)
    assert (found["step_ns"], found["steps"]) == (10 * MS, 4)
    assert found["columns"] == [
        {"key": 1, "steps": [[0, 1], [3, 2]]},
        {"key": 0, "steps": [[0, 1]]},
    ]


def test_timeline_text_has_lines_of_empty_steps(timed: str, capsys: Capsys) -> None:
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


def test_timeline_without_key_has_one_column(timed: str, capsys: Capsys) -> None:
    found = told(capsys, "timeline", "--step", "1s", timed)
    assert found["columns"] == [{"key": "samples", "steps": [[0, 4]]}]


def test_timeline_sums_weights(timed: str, capsys: Capsys) -> None:
    found = told(capsys, "timeline", "--step", "1s", "--weight", "period", timed)
    assert found["columns"][0]["steps"] == [[0, 4000]]


def test_timeline_of_selected_time_starts_at_0(timed: str, capsys: Capsys) -> None:
    found = told(capsys, "timeline", "--step", "10ms", "--time", "20ms-", timed)
    assert (found["steps"], found["columns"][0]["steps"]) == (1, [[0, 2]])


def test_timeline_refuses_too_many_steps(timed: str, capsys: Capsys) -> None:
    status, out, err = run(capsys, "timeline", "--step", "10ns", timed)
    assert (status, out) == (1, "")
    assert "3500001 steps of 10 ns are more than 1048576" in err


def test_timeline_without_samples_is_empty(tmp_path: Path, capsys: Capsys) -> None:
    path = tmp_path / "none.pfm"
    path.write_bytes(simple_capture([]))
    assert told(capsys, "timeline", str(path))["columns"] == []
    status, out, _ = run(capsys, "timeline", str(path))
    assert status == 0 and "count: 0" in out


def test_timeline_refuses_invalid_step(timed: str, capsys: Capsys) -> None:
    with pytest.raises(SystemExit):
        run(capsys, "timeline", "--step", "soon", timed)
    assert "must be a time such as" in capsys.readouterr().err
    status, _, err = run(capsys, "timeline", "--step", "0s", timed)
    assert status == 1 and "--step must be at least 1ns" in err
    with pytest.raises(SystemExit):
        run(capsys, "timeline", "--step", "20000000000s", timed)
    assert "must be less than 2^64 ns" in capsys.readouterr().err


def test_timeline_refuses_several_keys(timed: str, capsys: Capsys) -> None:
    status, out, err = run(capsys, "timeline", "--by", "tid,cpu", timed)
    assert (status, out) == (1, "")
    assert "--by takes one key, not 'tid,cpu'" in err


def test_timeline_json_ignores_top(timed: str, capsys: Capsys) -> None:
    found = told(capsys, "timeline", "--by", "cpu", "--top", "1", timed)
    assert len(found["columns"]) == 2
