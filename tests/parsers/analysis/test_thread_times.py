# SPDX-License-Identifier: MIT OR GPL-2.0
"""Calculate times on and off CPU for threads with random schedules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pfmparse.analysis import thread_times
from pfmparse.analysis.thread_times import Counted, Part, times_of
from pfmparse.layout import NDArray

THREADS, SAMPLES = 3, 40


def scheduled(seed: int) -> Part:
    """Return samples of threads that start at 0, in the order of time."""
    numbers = np.random.default_rng(seed)
    steps = numbers.integers(1, 100, (2, THREADS, SAMPLES))
    on_cpu, off_cpu = np.cumsum(steps, axis=2)
    wall = on_cpu + off_cpu - steps[1]  # each sample ends a time on CPU
    tid = np.repeat(np.arange(THREADS), SAMPLES)
    running = numbers.integers(0, 2, tid.size) == 1
    columns = (tid, wall.ravel(), on_cpu.ravel(), running)
    tid, times, cpu, running = (column[np.argsort(wall.ravel())] for column in columns)
    none = np.zeros(tid.size, np.bool_)
    return Part(tid, times, cpu, running, none, none)


def some(part: Part, which: Any) -> Part:
    """Return some of the samples."""
    return Part(*(column[which] for column in part))


def sums(part: Part, times: NDArray[np.int64]) -> list[int]:
    """Return the sum of the times of each thread."""
    return [int(times[:, part.thread == tid].sum()) for tid in range(THREADS)]


@pytest.mark.parametrize("seed", range(5))
def test_times_add_up_to_the_elapsed_time(seed: int) -> None:
    part = scheduled(seed)
    ends = [int(part.wall[part.thread == tid].max()) for tid in range(THREADS)]
    ((times, unknown),) = times_of([part], {})
    assert sums(part, times) == ends
    assert unknown.sum() == THREADS
    # Samples may arrive in any order, and in several parts.
    order = np.random.default_rng(seed).permutation(part.thread.size)
    parts = [some(part, which) for which in np.array_split(order, 4)]
    found = [each for each, _ in times_of(parts, {})]
    assert np.array_equal(np.hstack(found), times[:, order])


@pytest.mark.parametrize("cut", range(0, THREADS * SAMPLES, 7))
def test_two_calls_find_the_same_times_as_one(cut: int) -> None:
    part = scheduled(0)
    ((expected, _),) = times_of([part], {})
    counted: Counted = {}
    first = some(part, slice(cut))
    ((times, unknown),) = times_of([first], counted)
    assert np.array_equal(times[:, ~unknown], expected[:, :cut][:, ~unknown])
    rest = [some(first, unknown), some(part, slice(cut, None))]
    (held, _), (times, _) = times_of(rest, counted)
    assert np.array_equal(held, expected[:, :cut][:, unknown])
    assert np.array_equal(times, expected[:, cut:])


@pytest.mark.parametrize("seed", range(5))
def test_cpu_time_counts_once_in_any_order_of_arrival(seed: int) -> None:
    part = scheduled(seed)
    order = np.random.default_rng(seed).permutation(part.thread.size)
    counted: Counted = {}
    held: list[Part] = []
    total = np.zeros(THREADS, np.int64)
    for which in np.array_split(order, 8):
        parts = [*held, some(part, which)]
        held = []
        for new, (times, unknown) in zip(parts, times_of(parts, counted)):
            np.add.at(total, new.thread[~unknown], times[1, ~unknown])
            held.append(some(new, unknown))
    for rest, (times, _) in zip(held, times_of(held, counted)):
        np.add.at(total, rest.thread, times[1])
    ends = [int(part.on_cpu[part.thread == tid].max()) for tid in range(THREADS)]
    assert total.tolist() == ends


def test_cpu_time_is_optional() -> None:
    ((expected, _),) = times_of([scheduled(0)], {})
    ((times, _),) = times_of([scheduled(0)], None)
    assert np.array_equal(times[0], expected[0])
    assert not times[1].any()


def test_a_limited_number_of_ended_threads_is_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thread_times, "MOST_EXITED", 2)
    counted: Counted = {}
    every = np.ones(2, np.bool_)
    for number in (7, 1, 2, 1, 3):
        alive = ~every if number != 7 else every
        times = some(scheduled(0), slice(2))[1:3]
        part = Part(np.full(2, number), *times, alive, ~alive, ~alive)
        list(times_of([part], counted))
    assert list(counted) == [7, 1, 3]


def test_no_samples_have_no_times() -> None:
    assert not list(times_of([], {}))
    ((times, unknown),) = times_of([some(scheduled(0), slice(0))], {})
    assert (times.size, unknown.size) == (0, 0)
