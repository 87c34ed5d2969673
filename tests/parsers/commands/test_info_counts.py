# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print event counts and the activity of event sets with the info command."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import pytest
from helpers.cli import printed, told
from helpers.writers import Json, capture, json_chunk, pmd, session, totals

SETS = {0: [pmd(0), pmd(1, sampling=False)], 1: [pmd(0, sampling=False)]}


def count(context: int, number: int, index: int, value: int) -> Json:
    """Return the JSON for the count of a PMD in a set."""
    name = f"event-{index}"
    return {
        "context": context,
        "set": number,
        "pmd": index,
        "event": name,
        "value": value,
    }


def turns(
    context: int, number: int, active_ns: int, runs: int, whole_ns: Optional[int] = None
) -> Json:
    """Return the JSON for the activity of a set."""
    return {
        "context": context,
        "set": number,
        "active_ns": active_ns,
        "runs": runs,
        "whole_ns": whole_ns,
    }


COUNTS = [
    *(count(0, 0, 0, 5), count(0, 0, 1, 30), count(0, 1, 0, 7)),
    *(count(1, 0, 0, 5), count(1, 0, 1, 10), count(1, 1, 0, 3)),
]
TURNS = [
    *(turns(0, 0, 3_000_000_000, 9), turns(0, 1, 1_000_000_000, 8)),
    *(turns(1, 0, 1_000_000_000, 1), turns(1, 1, 1_000_000_000, 1)),
]


def written(path: Path, sets: dict[int, list[Json]], **members: Any) -> str:
    """Return the path of a capture without samples; its totals include ``members``."""
    done = {**totals(0), **members}
    chunks = (json_chunk("SESS", session(sets)), json_chunk("DONE", done))
    path.write_bytes(capture(*chunks))
    return str(path)


def test_info_scales_counts_of_multiplexed_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path / "x.pfm", SETS, counts=COUNTS, turns=TURNS)
    lines = printed(capsys, "info", file).splitlines()
    # The scaled counts are 30 * 4 / 3 + 10 * 2 / 1, and 7 * 4 / 1 + 3 * 2 / 1.
    whole = "for the whole time"
    assert f"count (set 0, PMD 1): event-1, 40, scaled to 60 {whole}" in lines
    assert f"count (set 1, PMD 0): event-0, 10, scaled to 34 {whole}" in lines
    assert "set 0 was active: 10 times, 4.000 s" in lines
    assert "set 1 was active: 9 times, 2.000 s" in lines
    # Sampling counters are reset at overflows, so their counts are not shown.
    assert not any(line.startswith("count (set 0, PMD 0)") for line in lines)


def test_info_scales_counts_to_unmeasured_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [turns(0, 0, 3, 9, whole_ns=6), turns(0, 1, 1, 8, whole_ns=6)]
    file = written(tmp_path / "x.pfm", SETS, counts=COUNTS[:3], turns=parts)
    lines = printed(capsys, "info", file).splitlines()
    # The scaled counts are 30 * 6 / 3, and 7 * 6 / 1.
    whole = "for the whole time"
    assert f"count (set 0, PMD 1): event-1, 30, scaled to 60 {whole}" in lines
    assert f"count (set 1, PMD 0): event-0, 7, scaled to 42 {whole}" in lines


def test_info_does_not_scale_counts_of_inactive_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    never = [turns(0, 0, 10, 1), turns(0, 1, 0, 0)]
    counts = [count(0, 1, 0, 0)]
    file = written(tmp_path / "x.pfm", SETS, counts=counts, turns=never)
    lines = printed(capsys, "info", file).splitlines()
    assert "count (set 1, PMD 0): event-0, 0" in lines
    assert "set 1 was active: 0 times, 0.000 s" in lines


def test_info_omits_activity_of_a_single_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = {0: SETS[0]}
    file = written(tmp_path / "x.pfm", sets, counts=COUNTS[:2], turns=TURNS[:1])
    lines = printed(capsys, "info", file).splitlines()
    assert "count (set 0, PMD 1): event-1, 30" in lines
    assert not any("active" in line for line in lines)


def test_info_json_has_recorded_counts_and_turns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path / "x.pfm", SETS, counts=COUNTS, turns=TURNS)
    described = told(capsys, "info", file)
    assert described["counts"] == COUNTS
    assert described["turns"] == TURNS
    older = written(tmp_path / "y.pfm", SETS, counts=COUNTS)
    assert told(capsys, "info", older)["turns"] == []
