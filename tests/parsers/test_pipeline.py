# SPDX-License-Identifier: MIT OR GPL-2.0
"""Execute calls in threads, ahead of the requests for their results."""

from __future__ import annotations

import threading
from functools import partial
from queue import SimpleQueue
from typing import Any, Callable, Iterator

import pytest
from pfmparse import pipeline
from pfmparse.pipeline import cpus, in_threads


def calls(number: int) -> Iterator[tuple[int, Callable[[], int]]]:
    """Yield ``number`` calls of size 10, each of which returns its own position."""
    for at in range(number):
        yield 10, partial(int, at)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("room", [0, 35, 10_000])
def test_pipeline_keeps_the_order_of_calls(threads: int, room: int) -> None:
    assert list(in_threads(calls(50), threads, room)) == list(range(50))
    assert list(in_threads(calls(0), threads, room)) == []


def test_pipeline_limits_calls_in_advance() -> None:
    asked: list[int] = []

    def noted() -> Iterator[tuple[int, Callable[[], int]]]:
        for size, call in calls(50):
            asked.append(size)
            yield size, call

    results = in_threads(noted(), 2, 45)
    assert next(results) == 0
    # Four calls fit into the limit, and the fifth waits.
    assert len(asked) == 5
    results.close()  # type: ignore[attr-defined]


def test_pipeline_adds_a_thread_if_results_are_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipeline, "PATIENCE", 2)
    alone, both = threading.Semaphore(0), threading.Barrier(2, timeout=60)

    def slow() -> int:
        return int(alone.acquire(timeout=0.01))

    # Each result exceeds the room, 1 byte, and the last two calls wait for each other.
    large = [(1 << 40, slow)] * 4 + [(1 << 40, both.wait)] * 2
    assert sorted(in_threads(large, 2, 1)) == [0, 0, 0, 0, 0, 1]


def test_pipeline_needs_one_thread_for_fast_calls() -> None:
    before, done = threading.active_count(), threading.Semaphore(0)
    calls: list[tuple[int, Callable[[], None]]] = [(1, done.release)] * 50
    for at, _ in enumerate(in_threads(calls, 5, 4)):
        assert threading.active_count() == before + 1
        # Before requesting the next result, wait until the call that returns it has
        # ended.
        for _ in range(0 if at == len(calls) - 1 else 2 if at == 0 else 1):
            assert done.acquire(timeout=60)


def test_pipeline_raises_error_with_the_result() -> None:
    def fails() -> int:
        raise OSError("gone")

    done: Callable[[], int] = partial(int, 0)
    results = in_threads([(1, done), (1, fails), (1, done)], 2, 10)
    assert next(results) == 0
    with pytest.raises(OSError, match="gone"):
        next(results)


def test_pipeline_threads_end_when_closed() -> None:
    before = threading.active_count()
    results = in_threads(calls(50), 3, 10_000)
    next(results)
    assert threading.active_count() > before
    results.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


def test_pipeline_drops_waiting_calls_when_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closing, dropped, made = threading.Event(), threading.Event(), list[int]()

    class Queue(SimpleQueue[Any]):
        def empty(self) -> bool:
            if super().empty() and closing.is_set():
                dropped.set()
            return super().empty()

    def call(number: int) -> int:
        assert number == 0 or dropped.wait(timeout=60)
        made.append(number)
        return number

    monkeypatch.setattr(pipeline, "SimpleQueue", Queue)
    results = in_threads([(1, partial(call, number)) for number in range(9)], 1, 9)
    assert next(results) == 0
    closing.set()
    results.close()  # type: ignore[attr-defined]
    # The thread may have begun the second call already.
    assert made in ([0], [0, 1])


def test_number_of_cpus_is_positive() -> None:
    assert cpus() >= 1
