# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compute the time off CPU after each context switch, as a column of the samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Iterator, Sequence

import numpy as np

from ..formats.roles import Role
from ..formats.samples import Lazy, Roles, Samples
from ..formats.thread_state import ENDED, OFF, TRACED
from ..layout import NDArray
from ..recording import Batch, Recording
from .subset import subset

FAMILY = -1  # stands for all contexts that several threads share
MOST_HELD = 4096  # maximum number of batches that are held back in a live capture


class OffCpu:
    """Adds the column OFF to the samples of sessions that record context switches.

    Between two samples of a thread, its time off CPU is the elapsed time minus the CPU
    time that it used. This time belongs to the earlier sample. It is 0 for the last
    sample of a thread in the capture. It is also 0 for the sample that a thread records
    when it ends, because another thread may get the ID afterwards.

    In contexts of single threads, the time is also 0 for stops by a tracer, because the
    tracer is pfmon itself. pfmon does not trace the threads of a family, which share
    contexts (docs/following.md).

    Each thread of a family records into the buffer of the CPU on which it runs, and
    these buffers are saved independently. In a complete capture, a separate pass
    therefore computes the times first. In a live capture, the last sample of each
    thread is held back until the thread's next sample arrives.
    """

    def __init__(self, recording: Recording) -> None:
        clock = recording.session.off_cpu
        there = clock is not None and clock in recording.session.recorded_pmds
        self._clock = clock if there else None
        self._recording = recording
        self._held: list[Batch] = []

    def add_to(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Adds the column to the batches; splits some batches of a live capture.

        Returns the batches unchanged if the session did not record context switches.
        """
        if self._clock is None:
            return batches
        whole = self._recording.source.complete
        return self._looked_up(batches) if whole else self._held_back(batches)

    @cached_property
    def _times(self) -> dict[int, NDArray[np.int64]]:
        """The times off CPU of all samples in the capture, by context."""
        batches = self._recording.reopened().batches()
        all_switches = [self._switches(batch) for batch in batches]
        found: dict[int, list[NDArray[np.int64]]] = {}
        for switches, (times, _) in zip(all_switches, _times_after(all_switches)):
            found.setdefault(switches.context, []).append(times)
        return {context: np.concatenate(times) for context, times in found.items()}

    def _looked_up(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Yields the batches of a complete capture."""
        done: dict[int, int] = {}
        for batch in batches:
            start = done.get(batch.context, 0)
            end = done[batch.context] = start + batch.samples.count
            yield _with_times(batch, self._times[batch.context][start:end])

    def _held_back(self, new: Iterator[Batch]) -> Iterator[Batch]:
        """Yields batches that have arrived, except the last sample of each thread."""
        batches = [*self._held, *new]
        self._held = []
        for batch, (times, last) in zip(
            batches, _times_after([self._switches(batch) for batch in batches])
        ):
            done = replace(batch, samples=subset(batch.samples, ~last))
            yield _with_times(done, times[~last])
            if last.any():
                kept = subset(batch.samples, last)
                self._held.append(replace(batch, samples=kept, lost={}))
        for batch in self._held[:-MOST_HELD]:
            yield _with_times(batch, np.zeros(batch.samples.count, np.int64))
        self._held = self._held[-MOST_HELD:]

    def _switches(self, batch: Batch) -> _Switches:
        samples = batch.samples
        context = self._recording.source.contexts.get(batch.context)
        shared = context is not None and context.tid is None
        return _Switches(
            batch.context,
            FAMILY if shared else batch.context,
            samples.role(Role.THREAD).astype(np.int64)
            if shared
            else np.zeros(samples.count, np.int64),
            samples.role(Role.TIME).astype(np.int64),
            samples.pmd_values(self._clock or 0)[0].astype(np.int64),
            _in_states(samples, [ENDED] if shared else [ENDED, TRACED]),
        )


@dataclass(frozen=True)
class _Switches:
    """The context switches of a batch.

    ``owner`` and ``tid`` together identify the thread. They are the context and 0 or,
    in shared contexts, FAMILY and the thread's ID. ``wall`` and ``on_cpu`` are times in
    ns. The time off CPU after a sample with ``no_time`` is 0.
    """

    context: int
    owner: int
    tid: NDArray[np.int64]
    wall: NDArray[np.int64]
    on_cpu: NDArray[np.int64]
    no_time: NDArray[np.bool_]


def _in_states(samples: Samples, states: Sequence[int]) -> NDArray[np.bool_]:
    if samples.name_of(Role.STATE) is None:
        return np.zeros(samples.count, np.bool_)
    return np.isin(samples.role(Role.STATE), states)


def _times_after(
    parts: Sequence[_Switches],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Yields two arrays for each part: times, and a mask.

    The first one has the time off CPU after each sample. The mask selects samples whose
    time is not known yet, because they are the last ones of their threads.
    """
    if not parts:
        return
    owner = np.concatenate([np.full(part.tid.size, part.owner) for part in parts])
    tid, wall, on_cpu, no_time = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("tid", "wall", "on_cpu", "no_time")
    )
    order = np.lexsort((wall, tid, owner))
    last = np.ones(order.size, np.bool_)
    times = np.zeros(order.size, np.int64)
    this, following = order[:-1], order[1:]
    last[this] = (owner[this] != owner[following]) | (tid[this] != tid[following])
    used = on_cpu[following] - on_cpu[this]
    # The CPU time decreases if a new thread has the ID of an old one. The time off CPU
    # may be negative because the clocks of two CPUs differ.
    away = np.where(last[this] | (used < 0), 0, wall[following] - wall[this] - used)
    times[this] = np.maximum(away, 0)
    times[no_time] = 0
    last &= ~no_time
    ends = np.cumsum([part.tid.size for part in parts])
    yield from zip(np.split(times, ends[:-1]), np.split(last, ends[:-1]))


def _with_times(batch: Batch, times: NDArray[np.int64]) -> Batch:
    """Returns the batch with these times as the column OFF."""
    samples = batch.samples
    columns = {name: partial(samples.column, name) for name in samples.derived}
    derived = Lazy({**columns, OFF: lambda: times})
    roles: Roles = {**samples.roles, Role.SUM: {OFF: OFF}}
    return replace(batch, samples=replace(samples, derived=derived, roles=roles))
