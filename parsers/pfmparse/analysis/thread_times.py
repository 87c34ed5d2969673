# SPDX-License-Identifier: MIT OR GPL-2.0
"""Calculate the times on and off CPU of threads between their samples."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Optional, Sequence

import numpy as np

from ..layout import NDArray

# Shape (2, n): the time off CPU after each sample, and the CPU time of the sample.
Times = NDArray[np.int64]
# By thread, the oldest first: the last sample that has been counted, as its wall-clock
# time, the thread's CPU time, and whether the thread was exiting.
Counted = dict[int, tuple[int, int, bool]]
MOST_EXITED = 4096  # maximum number of threads in Counted that were exiting


class Part(NamedTuple):
    """The samples of a batch, or of several batches, as arrays of shape (n,).

    ``thread`` has a different number for each thread. ``wall`` and ``on_cpu`` are times
    in ns, from 0 to 2**62 - 1, so that their sums fit into 64 bits. ``running`` selects
    samples of the clock, and ``exiting`` those of threads that end. The time off CPU
    after a sample with ``no_time`` is 0.
    """

    thread: NDArray[np.int64]
    wall: NDArray[np.int64]
    on_cpu: NDArray[np.int64]
    running: NDArray[np.bool_]
    exiting: NDArray[np.bool_]
    no_time: NDArray[np.bool_]


def times_of(
    parts: Sequence[Part], counted: Optional[Counted]
) -> Iterator[tuple[Times, NDArray[np.bool_]]]:
    """Yields the times of each part, and a mask.

    The mask selects samples whose times are not known yet, because they are the last
    ones of their threads. The other samples are noted in ``counted``. If this is None,
    no sample has CPU time.
    """
    if not parts:
        return
    ordered, order = _ordered(parts)
    last = np.append(np.diff(ordered.thread) != 0, True)[: order.size]
    unknown = np.empty_like(last)
    unknown[order] = last & ~ordered.no_time
    times = np.zeros((2, order.size), np.int64)
    times[0, order] = _time_off(ordered, last)
    if counted is not None:
        times[1, order] = _time_on(ordered, last, counted)
    ends = np.cumsum([part.thread.size for part in parts])[:-1]
    yield from zip(np.split(times, ends, axis=1), np.split(unknown, ends))


def _ordered(parts: Sequence[Part]) -> tuple[Part, NDArray[np.intp]]:
    """Returns all samples by thread and time, and their numbers before that."""
    columns: list[NDArray[Any]] = [np.concatenate(each) for each in zip(*parts)]
    thread, wall = columns[:2]
    order = np.lexsort((wall, thread))
    return Part(*(column[order] for column in columns)), order


def _time_off(part: Part, last: NDArray[np.bool_]) -> NDArray[np.int64]:
    times = np.zeros(last.size, np.int64)
    used = np.diff(part.on_cpu)
    # The CPU time decreases if a new thread has the ID of an old one. The time off CPU
    # may be negative because the clocks of two CPUs differ.
    away = np.where(last[:-1] | (used < 0), 0, np.diff(part.wall) - used)
    times[:-1] = np.maximum(away, 0)
    times[part.no_time] = 0
    return times


def _time_on(
    part: Part, last: NDArray[np.bool_], counted: Counted
) -> NDArray[np.int64]:
    now, then = _with_previous(part, last, counted)
    elapsed, used = now[:2] - then[:2]
    # A new thread may have the ID of an old one, whose end may have been lost. A
    # thread may be preempted while it exits, so that it seems to end twice. All CPU
    # time of a new thread is later than the old thread's last sample.
    new = ((used < 0) | ((then[2] != 0) & ~part.exiting)) & (now[1] <= elapsed)
    # If the clocks of two CPUs differ, the times still add up to the elapsed time.
    used = np.where(new, now[1], np.clip(used, 0, elapsed))
    # Context switches leave the CPU time to the thread's next sample of the clock.
    closed = part.running | part.exiting | last
    closed[:-1] |= new[1:]
    at = np.flatnonzero(closed)
    times = np.zeros(last.size, np.int64)
    times[at] = np.diff(np.cumsum(used)[at], prepend=0)
    # Note the last sample of each thread that is not held back.
    at = at[~last[at] | part.no_time[at]]
    at = at[np.append(np.diff(part.thread[at]) != 0, True)[: at.size]]
    _note(counted, part.thread[at], now[:, at])
    return times


def _with_previous(
    part: Part, last: NDArray[np.bool_], counted: Counted
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns what Counted has, for each sample and for the thread's previous one.

    A sample that arrives after a later one has been counted is replaced by that one.
    """
    ends = np.flatnonzero(last)
    found = [counted.get(key, (0, 0, False)) for key in part.thread[ends].tolist()]
    before = np.array(found, np.int64).reshape(-1, 3).T
    now: NDArray[np.int64] = np.array((part.wall, part.on_cpu, part.exiting))
    thread = np.repeat(np.arange(ends.size), np.diff(ends, prepend=-1))
    late = np.flatnonzero(part.wall < before[0, thread])
    now[:, late] = before[:, thread[late]]
    then: NDArray[np.int64] = np.roll(now, 1, axis=1)
    then[:, np.append(0, ends + 1)[:-1]] = before
    return now, then


def _note(
    counted: Counted, threads: NDArray[np.int64], samples: NDArray[np.int64]
) -> None:
    for thread, wall, on_cpu, exiting in zip(threads.tolist(), *samples.tolist()):
        counted.pop(thread, None)
        counted[thread] = wall, on_cpu, bool(exiting)
    exited = [thread for thread, (_, _, exiting) in counted.items() if exiting]
    for thread in exited[:-MOST_EXITED]:
        del counted[thread]
