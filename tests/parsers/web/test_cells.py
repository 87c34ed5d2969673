# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sum samples by stack, event, thread and time step."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.served import S, cells_of, every, session_of, timed
from helpers.stacks_capture import stack_capture
from helpers.writers import Sample, simple_capture
from pfmparse.analysis.selection import Selection
from pfmparse.web.cells import STEPS

HOUR = 3600 * S


def test_cells_have_the_samples_of_each_stack(tmp_path: Path) -> None:
    cells = cells_of(tmp_path)
    totals = cells.totals(every(cells)).integers()
    named = [cells.tree.labels[label].name for label in cells.tree.label_of]
    assert dict(zip(named, totals)) == {
        **{"all": 10, "main": 10, "hot": 6},
        **{"warm": 4, "schedule": 1},
    }
    assert sorted(cells.events) == ["[unknown]", "event-0", "event-1"]
    assert {(t.name, t.thread) for t in cells.threads} == {
        ("program", 100),
        ("worker", 101),
    }
    assert [process.number for process in cells.processes] == [100]


def test_captures_share_functions_but_not_threads(tmp_path: Path) -> None:
    one, two = cells_of(tmp_path), cells_of(tmp_path, stack_capture(), stack_capture())
    assert two.sums.total() == 2 * one.sums.total()
    assert two.tree.labels == one.tree.labels
    assert two.threads == [*one.threads, *one.threads]
    assert two.captures == [0, 0, 1, 1]
    assert [process.capture for process in two.processes] == [0, 1]


@pytest.mark.parametrize(
    "last,step",
    [(0, 1), (STEPS - 1, 1), (STEPS, 2), (1999, 2), (2000, 5), (HOUR, 5 * S)],
)
def test_steps_are_few_and_round(last: int, step: int, tmp_path: Path) -> None:
    clock = cells_of(tmp_path, timed(0, last)).clock
    assert clock.step == step
    assert clock.steps == last // step + 1 <= STEPS


def test_steps_count_from_the_first_sample(tmp_path: Path) -> None:
    # The second capture is the longest, so it determines the step.
    cells = cells_of(tmp_path, timed(7, 0, 9), timed(100, 100 + 1999))
    assert sorted(cells.step.tolist()) == [0, 0, 3, 4, 999]
    assert cells.sums.total() == 5


def test_steps_count_from_unselected_samples(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(stack_capture())
    with session_of(path, selection=Selection(tids=[101])) as session:
        clock = session.cells.clock
        assert session.cells.step.tolist() == [9000 // clock.step]


def test_capture_without_times_has_no_steps(captures: dict[str, Path]) -> None:
    with session_of(captures["histogram"]) as session:
        assert session.cells.clock.steps == 0
        assert session.cells.step.max() == 0


def test_weights_beyond_64_bits_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([Sample(last_reset_val=1)] * 3))
    with session_of(path, weight="period") as session:
        cells = session.cells
        assert cells.sums.total() == 3 * ((1 << 64) - 1)
        assert cells.totals(every(cells)).integers()[0] == cells.sums.total()
