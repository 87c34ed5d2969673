# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read live captures step by step."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from helpers.live_stream import TICKS, stream
from pfmparse.analysis.inputs import Options
from pfmparse.analysis.selection import Selection
from pfmparse.commands.watching import Watch
from pfmparse.symbols.location import SymbolOptions

S = 10**9


@pytest.fixture(name="pipe")
def fixture_pipe() -> Iterator[tuple[int, int]]:
    """Create a pipe, whose write end the test closes."""
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)


def watched(fd: int) -> Watch:
    return Watch(fd, Options(Selection(), SymbolOptions()), print, 100 * S)


def test_watch_ends_a_step_at_each_tick(pipe: tuple[int, int]) -> None:
    watch = watched(pipe[0])
    seen = []
    for _ in watch.steps(stream()):
        now = watch.status
        samples = (now.samples, now.step_samples)
        seen.append((now.elapsed_ns // S, *samples, now.lost, now.step_lost))
    assert seen == [(1, 1, 1, 0, 0), (2, 3, 2, 5, 5), (3, 6, 3, 10, 5)]
    assert watch.counts.total() == 6
    os.close(pipe[1])


def test_watch_reads_available_data(pipe: tuple[int, int]) -> None:
    watch = watched(pipe[0])
    os.write(pipe[1], stream())
    assert watch.read_session()
    os.close(pipe[1])
    assert not watch.read()
    assert watch.ended == TICKS
    assert watch.status.samples == 6


def test_watch_ends_without_a_session(pipe: tuple[int, int]) -> None:
    os.close(pipe[1])
    watch = watched(pipe[0])
    assert not watch.read_session() and not watch.end()


def test_watch_counts_the_end_as_a_step(pipe: tuple[int, int]) -> None:
    os.close(pipe[1])
    watch = watched(pipe[0])
    assert len(list(watch.steps(stream(rest=2)))) == TICKS
    assert watch.end()
    assert (watch.status.samples, watch.status.step_samples) == (8, 2)
    assert (watch.status.elapsed_ns, watch.status.lost) == (4 * S, 12)


def test_watch_keeps_samples_of_truncated_stream(pipe: tuple[int, int]) -> None:
    os.close(pipe[1])
    watch = watched(pipe[0])
    assert len(list(watch.steps(stream(rest=2)[:-100]))) == TICKS
    assert watch.end()
    assert (watch.status.samples, watch.status.elapsed_ns) == (8, 3 * S)


def test_watch_forgets_earlier_samples(pipe: tuple[int, int]) -> None:
    os.close(pipe[1])
    watch = watched(pipe[0])
    watch.forget()
    list(watch.steps(stream()))
    watch.forget()
    watch.end()
    assert watch.counts.total() == 0
