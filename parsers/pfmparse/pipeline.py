# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run calls in threads ahead of the consumer, and yield their results in order."""

from __future__ import annotations

import os
from collections import deque
from queue import SimpleQueue
from threading import Thread
from typing import Any, Callable, Generic, Iterable, Iterator, Optional, TypeVar, Union

T = TypeVar("T")

PATIENCE = 8  # minimum number of results before another thread is added


def cpus() -> int:
    """Returns the number of CPUs on which this process may run."""
    return len(os.sched_getaffinity(0))


class _Failed:
    """An exception that a call raised instead of returning a result."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Job(Generic[T]):
    """A call and, after it has ended, its result, which takes up to ``size`` bytes."""

    def __init__(self, call: Callable[[], T], size: int) -> None:
        self.size = size
        self._call = call
        self._done: SimpleQueue[Union[T, _Failed]] = SimpleQueue()

    def run(self) -> None:
        """Makes the call and stores its result or exception."""
        try:
            self._done.put(self._call())
        except BaseException as error:
            self._done.put(_Failed(error))

    def is_done(self) -> bool:
        """Returns whether the call has returned or failed."""
        return not self._done.empty()

    def result(self) -> T:
        """Waits for the result and returns it, or raises the call's exception."""
        result = self._done.get()
        if isinstance(result, _Failed):
            raise result.error
        return result


class _Workers:
    """Threads that run jobs: one at first, more if the consumer has to wait.

    A thread that is not needed would only take CPU time from the consumer.
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
        """Queues a job."""
        self._waiting.put(job)

    def result(self, job: _Job[T]) -> T:
        """Waits for a job's result; adds a thread if it often has to wait."""
        self._asked += 1
        self._waited += not job.is_done()
        if self._asked >= PATIENCE and 2 * self._waited > self._asked:
            self._start()
        return job.result()

    def end(self) -> None:
        """Drops jobs that have not begun, and waits for all threads to end."""
        while not self._waiting.empty():
            self._waiting.get()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _start(self) -> None:
        """Starts another thread unless the limit has been reached."""
        self._asked = self._waited = 0
        if len(self._threads) < self._limit:
            thread = Thread(target=_work, args=(self._waiting,), daemon=True)
            self._threads.append(thread)
            thread.start()


def in_threads(
    calls: Iterable[tuple[int, Callable[[], T]]], threads: int, room: int
) -> Iterator[T]:
    """Yields the results of calls in order; up to ``threads`` threads make the calls.

    Each call comes with the maximum size of its result. Further calls are queued while
    the sizes of all results that have not been yielded add up to at most ``room``. Even
    with a smaller ``room``, at least one call per thread is queued.
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
    """Runs queued jobs until the queue returns None."""
    while True:
        job = waiting.get()
        if job is None:
            return
        job.run()
