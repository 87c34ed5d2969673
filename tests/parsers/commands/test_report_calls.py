# SPDX-License-Identifier: MIT OR GPL-2.0
"""Report callers and callees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.chained import chained_capture
from helpers.cli import run, told

STACKS = [
    *[["main", "hot"]] * 6,
    *[["main", "warm", "cold"]] * 3,
    ["main", "hot", "cold", "hot"],
]


@pytest.fixture
def stacks(tmp_path: Path) -> str:
    """Return the path of a capture of ten stacks, one of which is recursive."""
    path = tmp_path / "stacks.pfm"
    path.write_bytes(chained_capture(STACKS))
    return str(path)


def rows(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    """Return the rows of a report by function."""
    return {
        row["key"]: row for row in told(capsys, "report", *argv, warns=True)["rows"]
    }


def test_cumulative_report_includes_callees(
    stacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = rows(capsys, "--cumulative", stacks)
    assert {key: (row["own"], row["inclusive"]) for key, row in found.items()} == {
        "main": (0, 10),
        "hot": (7, 7),
        "cold": (3, 4),
        "warm": (0, 3),
    }
    assert found["main"]["percent"] == 100 and found["hot"]["own_percent"] == 70


def test_report_of_callers_and_callees_has_shares(
    stacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = rows(capsys, "--callers", stacks)
    calls = {
        key: {call["key"]: call["inclusive"] for call in row["callers"]}
        for key, row in found.items()
    }
    assert calls == {
        "main": {},
        "hot": {"main": 7, "cold": 1},
        "cold": {"warm": 3, "hot": 1},
        "warm": {"main": 3},
    }
    found = rows(capsys, "--callees", stacks)
    main = {call["key"]: call["inclusive"] for call in found["main"]["callees"]}
    assert main == {"hot": 7, "warm": 3}


def test_caller_of_limits_report_to_these_functions(
    stacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = rows(capsys, "--caller-of", "^c", stacks)
    assert set(found) == {"cold"} and len(found["cold"]["callers"]) == 2


def test_callers_report_text_has_a_line_per_call(
    stacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "report", "--callers", "--top", "2", stacks)
    assert [line.split() for line in out.splitlines()[1:5]] == [
        ["10", "100.00%", "0", "0.00%", "main", "([kernel])"],
        ["7", "70.00%", "7", "70.00%", "hot", "([kernel])"],
        ["7", "70.00%", "<-", "main", "([kernel])"],
        ["1", "10.00%", "<-", "cold", "([kernel])"],
    ]
    assert "samples: 10\n" in out


def test_callers_report_text_has_weights(
    stacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["report", "--callers", "--weight", "period", "--top", "1", stacks]
    _, out, _ = run(capsys, *argv)
    lines = out.splitlines()
    assert lines[0].split()[3] == "period"
    assert lines[1].split() == ["10000", "100.00%", "0", "0.00%", "main", "([kernel])"]
    assert "samples: 10\nperiod: 10000\n" in out


def test_callers_report_accepts_samples_without_chains(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, "report", "--callers", file)["rows"]
    assert sum(row["own"] for row in found) == 3
    assert all(row["own"] == row["inclusive"] for row in found)
    assert all(row["callers"] == [] for row in found)


@pytest.mark.parametrize(
    "other", [["--by", "cpu"], ["--pmd", "1"], ["--stat", "max"], ["--csv"]]
)
def test_callers_report_refuses_other_keys(
    other: list[str], stacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "report", "--callers", *other, stacks)
    assert (status, out) == (1, "")
    assert "call reports are by function only" in err
