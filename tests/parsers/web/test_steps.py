# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sum samples over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.exporting import reported
from helpers.served import answered, cells_of, every, session_of, timed
from pfmparse.web.keys import KEYS
from pfmparse.web.steps import by_step, heat


def test_steps_sum_samples_of_their_time(tmp_path: Path) -> None:
    cells = cells_of(tmp_path, timed(0, 1, 1, 3))
    assert by_step(cells, every(cells)) == [1, 2, 0, 1]


def test_steps_ignore_the_selected_time(captures: dict[str, Path]) -> None:
    with session_of(captures["default"]) as session:
        chosen = {"tid": 101, "from": 0, "to": 10}
        steps = answered(session, "steps", **chosen)["steps"]
        step = session.cells.clock.step
    rows = reported(captures["default"], "--tid", "101", "--by", "time")
    first = min(row["key"] for row in reported(captures["default"], "--by", "time"))
    expected = [0] * len(steps)
    for row in rows:
        expected[(row["key"] - first) // step] += row["count"]
    assert steps == expected


@pytest.mark.parametrize("by", KEYS)
def test_heat_sums_each_value(by: str, tmp_path: Path) -> None:
    cells = cells_of(tmp_path)
    found: Any = heat(cells, every(cells), by, 40)
    assert sum(row["own"] for row in found["rows"]) == 10
    for row in found["rows"]:
        assert len(row["steps"]) == cells.clock.steps
        assert sum(row["steps"]) == row["own"] > 0
    assert found["others"] == 0


def test_heat_has_the_largest_values(tmp_path: Path) -> None:
    cells = cells_of(tmp_path)
    found: Any = heat(cells, every(cells), "function", 2)
    assert [row["name"] for row in found["rows"]] == ["hot", "warm"]
    assert [row["own"] for row in found["rows"]] == [6, 3]
    assert found["others"] == 1


def test_capture_without_times_has_no_heat(captures: dict[str, Path]) -> None:
    with session_of(captures["histogram"]) as session:
        assert answered(session, "steps") == {"steps": []}
        assert answered(session, "heat")["rows"][0]["steps"] == []
