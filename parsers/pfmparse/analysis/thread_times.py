# SPDX-License-Identifier: MIT OR GPL-2.0
"""Calculate the times on and off CPU of threads between their samples."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Iterator, Sequence

import numpy as np

from ..layout import NDArray

# Shape (2, n): the time off CPU after each sample, and the CPU time of the sample.
Times = NDArray[np.int64]
# By owner and ID of each thread: its CPU time up to the last sample that has been
# counted, and whether the thread ended with this sample.
Counted = dict[tuple[int, int], tuple[int, bool]]


@dataclass(frozen=True)
class Part:
    """The samples of a batch, or of several batches, as arrays of shape (n,).

    ``owner`` and ``tid`` together identify the thread. They are the context and 0 or,
    in shared contexts, FAMILY and the thread's ID. ``wall`` and ``on_cpu`` are times in
    ns. ``running`` selects samples of the clock, and ``ended`` those that threads
    record when they end. The time off CPU after a sample with ``no_time`` is 0.
    """

    context: int
    owner: NDArray[np.int64]
    tid: NDArray[np.int64]
    wall: NDArray[np.int64]
    on_cpu: NDArray[np.int64]
    running: NDArray[np.bool_]
    ended: NDArray[np.bool_]
    no_time: NDArray[np.bool_]


def times_of(
    parts: Sequence[Part], counted: Counted
) -> Iterator[tuple[Times, NDArray[np.bool_]]]:
    """Yields the times of each part, and a mask.

    The mask selects samples whose times are not known yet, because they are the last
    ones of their threads. The other samples are noted in ``counted``.
    """
    if not parts:
        return
    tid, wall = (_joined(parts, name) for name in ("tid", "wall"))
    order = np.lexsort((wall, tid, _joined(parts, "owner")))
    columns = [field.name for field in fields(Part)][1:]
    ordered = Part(0, *(_joined(parts, name)[order] for name in columns))
    last = np.ones(order.size, np.bool_)
    last[:-1] = ~_same_thread(ordered, slice(1, None), slice(None, -1))
    unknown = np.empty_like(last)
    unknown[order] = last & ~ordered.no_time
    times = np.empty((2, order.size), np.int64)
    times[0, order] = _time_off(ordered, last)
    times[1, order] = _time_on(ordered, last, counted)
    ends = np.cumsum([part.tid.size for part in parts])[:-1]
    yield from zip(np.split(times, ends, axis=1), np.split(unknown, ends))


def _joined(parts: Sequence[Part], name: str) -> NDArray[Any]:
    return np.concatenate([getattr(part, name) for part in parts])


def _same_thread(part: Part, one: Any, other: Any) -> NDArray[np.bool_]:
    """Returns whether the samples with two indices are of the same thread."""
    same: NDArray[np.bool_] = (part.owner[one] == part.owner[other]) & (
        part.tid[one] == part.tid[other]
    )
    return same


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
    first = np.flatnonzero(np.append(True, last)[:-1])
    before, new = np.roll(part.on_cpu, 1), np.roll(part.ended, 1)
    keys = zip(part.owner[first].tolist(), part.tid[first].tolist())
    found = [counted.get(key, (0, False)) for key in keys]
    before[first] = [on_cpu for on_cpu, _ in found]
    new[first] = [ended for _, ended in found]
    used = part.on_cpu - before
    # After the end of a thread, a new thread may have the same ID.
    used = np.maximum(np.where(new & (used < 0), part.on_cpu, used), 0)
    # If the clocks of two CPUs differ, the times still add up to the elapsed time.
    longest = np.diff(part.wall, prepend=0)
    longest[first] = used[first]
    used = np.minimum(used, longest)
    # Context switches leave the CPU time to the thread's next sample of the clock.
    at = np.flatnonzero(part.running | part.ended | last)
    times = np.zeros(last.size, np.int64)
    times[at] = np.diff(np.cumsum(used)[at], prepend=0)
    # Note the last sample of each thread that is not held back.
    at = at[~last[at] | part.no_time[at]]
    at = at[np.append(~_same_thread(part, at[1:], at[:-1]), True)[: at.size]]
    columns = (part.owner, part.tid, part.on_cpu, part.ended)
    for owner, tid, on_cpu, ended in zip(*(column[at].tolist() for column in columns)):
        counted[owner, tid] = on_cpu, ended
    return times
