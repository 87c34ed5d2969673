# SPDX-License-Identifier: MIT OR GPL-2.0
"""Work that threads do ahead of who needs it, in order."""

from __future__ import annotations

import os
from collections import deque
from queue import SimpleQueue
from threading import Thread
from typing import Any, Callable, Generic, Iterable, Iterator, Optional, TypeVar, Union

T = TypeVar("T")

PATIENCE = 8  # results, after which it is seen whether they were waited for


def cpus() -> int:
    """On how many CPUs this process may run."""
    return len(os.sched_getaffinity(0))


class _Failed:
    """What was raised instead of a result."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Job(Generic[T]):
    """A call, and its result when it is done; ``size`` is what that may take."""

    def __init__(self, call: Callable[[], T], size: int) -> None:
        self.size = size
        self._call = call
        self._done: SimpleQueue[Union[T, _Failed]] = SimpleQueue()

    def run(self) -> None:
        """Calls it."""
        try:
            self._done.put(self._call())
        except BaseException as error:
            self._done.put(_Failed(error))

    def is_done(self) -> bool:
        """There is a result."""
        return not self._done.empty()

    def result(self) -> T:
        """Waits for what it returns, or raises what it raised."""
        result = self._done.get()
        if isinstance(result, _Failed):
            raise result.error
        return result


class _Workers:
    """Threads that do jobs: one at first, more if its results are waited for.

    A thread more than there is work for takes time from who uses the results.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._threads: list[Thread] = []
        self._waiting: SimpleQueue[Optional[_Job[Any]]] = SimpleQueue()
        self._asked = self._waited = 0
        self._start()

    def __len__(self) -> int:
        return len(self._threads)

    def add(self, job: _Job[T]) -> None:
        """Has a job done behind all before it."""
        self._waiting.put(job)

    def result(self, job: _Job[T]) -> T:
        """Waits until it is done."""
        self._asked += 1
        self._waited += not job.is_done()
        if self._asked >= PATIENCE and 2 * self._waited > self._asked:
            self._start()
        return job.result()

    def end(self) -> None:
        """Lets all threads end; what has not begun is not done."""
        while not self._waiting.empty():
            self._waiting.get()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _start(self) -> None:
        """Starts another thread, if there may be one."""
        self._asked = self._waited = 0
        if len(self._threads) < self._limit:
            thread = Thread(target=_work, args=(self._waiting,), daemon=True)
            self._threads.append(thread)
            thread.start()


def in_threads(
    calls: Iterable[tuple[int, Callable[[], T]]], threads: int, room: int
) -> Iterator[T]:
    """The results of calls in their order, which up to so many threads work on.

    With each call goes the size of its result. So many are called in advance that
    together they need no more than ``room``, but no thread has nothing to do.
    """
    workers, jobs = _Workers(threads), deque[_Job[T]]()
    used = 0
    try:
        for size, call in calls:
            while len(jobs) > len(workers) and used + size > room:
                used -= jobs[0].size
                yield workers.result(jobs.popleft())
            jobs.append(_Job(call, size))
            used += size
            workers.add(jobs[-1])
        while jobs:
            yield workers.result(jobs.popleft())
    finally:
        workers.end()


def _work(waiting: SimpleQueue[Optional[_Job[Any]]]) -> None:
    """Does one job after the other until there is None."""
    while True:
        job = waiting.get()
        if job is None:
            return
        job.run()
