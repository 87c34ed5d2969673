# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compute each thread's times on and off CPU, as columns of the samples."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import Callable, Iterator, Optional

import numpy as np

from ..formats.roles import Role
from ..formats.samples import Column, Lazy, Roles, Samples
from ..formats.thread_state import ENDED, OFF, RUNNING, TRACED, WALL
from ..layout import NDArray
from ..recording import Batch, Recording
from .subset import subset
from .thread_times import Counted, Part, Times, times_of

MOST_HELD = 4096  # maximum number of batches that are held back in a live capture
GREATEST = np.uint64((1 << 62) - 1)  # 146 years in ns; greater times are damaged
STATE = Role.STATE.usual[0]


class OffCpu:
    """Adds the column OFF to the samples of sessions that record context switches.

    Between two samples of a thread, its time off CPU is the elapsed time minus the CPU
    time that it used. This time belongs to the earlier sample. It is 0 for the last
    sample of a thread in the capture. It is also 0 for the sample that a thread records
    when it ends, because another thread may get this thread's ID afterwards.

    In contexts of single threads, the time is also 0 for stops by a tracer, because the
    tracer is pfmon itself. pfmon does not trace the threads of a family, which share
    contexts (docs/following.md).

    If the session also samples a clock, the samples have a column WALL, too: the time
    off CPU plus the CPU time of the sample. A sample of the clock has the CPU time that
    the thread used since its previous sample of the clock. Context switches in between
    have none of it, because they do not show which code used it. The last sample of a
    thread has the CPU time that remains. The sum over a thread's samples is therefore
    the time from when it first runs in the measurement to its last sample. Samples of
    the clock have the state RUNNING.

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
        self._timer = recording.session.wall_clock
        self._held: list[Batch] = []
        self._counted: Optional[Counted] = None if self._timer is None else {}

    def add_to(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Adds the columns to the batches; splits some batches of a live capture.

        Returns the batches unchanged if the session did not record context switches.
        """
        if self._clock is None:
            return batches
        whole = self._recording.source.complete
        return self._looked_up(batches) if whole else self._held_back(batches)

    @cached_property
    def _times(self) -> dict[int, Times]:
        """The times of all samples in the capture, by context."""
        contexts: list[int] = []
        parts: list[Part] = []
        for batch in self._recording.reopened().batches():
            contexts.append(batch.context)
            parts.append(self._part(batch))
        found: dict[int, list[Times]] = {}
        for number, (times, _) in zip(contexts, times_of(parts, self._counted)):
            found.setdefault(number, []).append(times)
        return {context: np.hstack(times) for context, times in found.items()}

    def _looked_up(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Yields the batches of a complete capture."""
        done: dict[int, int] = {}
        for batch in batches:
            start = done.get(batch.context, 0)
            end = done[batch.context] = start + batch.samples.count
            yield self._with_times(batch, self._times[batch.context][:, start:end])

    def _held_back(self, new: Iterator[Batch]) -> Iterator[Batch]:
        """Yields batches that have arrived, except the last sample of each thread."""
        batches = [*self._held, *new]
        self._held = []
        parts = [self._part(batch) for batch in batches]
        for batch, (times, last) in zip(batches, times_of(parts, self._counted)):
            done = replace(batch, samples=subset(batch.samples, ~last))
            yield self._with_times(done, times[:, ~last])
            if last.any():
                kept = subset(batch.samples, last)
                self._held.append(replace(batch, samples=kept, lost={}))
        for batch in self._held[:-MOST_HELD]:
            yield self._with_times(batch, np.zeros((2, batch.samples.count), np.int64))
        self._held = self._held[-MOST_HELD:]

    def _part(self, batch: Batch) -> Part:
        samples = batch.samples
        context = self._recording.source.contexts.get(batch.context)
        shared = context is not None and context.tid is None
        running = self._running(samples)
        exiting, traced = _in_states(samples, ENDED, TRACED)
        stopped = exiting if shared else exiting | traced
        return Part(
            # In a shared context, a thread's number is its ID, which is not negative.
            # Other contexts have only one thread, which gets a negative number.
            _limited(samples.role(Role.THREAD))
            if shared
            else np.full(samples.count, ~batch.context, np.int64),
            _limited(samples.role(Role.TIME)),
            _limited(samples.pmd_values(self._clock or 0)[0]),
            running,
            exiting,
            stopped & ~running,
        )

    def _running(self, samples: Samples) -> NDArray[np.bool_]:
        """Returns a mask of the samples of the clock."""
        if self._timer is None:
            return np.zeros(samples.count, np.bool_)
        found: NDArray[np.bool_] = samples.role(Role.PMD) == self._timer
        return found

    def _with_times(self, batch: Batch, times: Times) -> Batch:
        """Returns the batch with these times as columns."""
        samples = batch.samples
        off: Column = times[0]
        on: Column = times[1]
        columns: dict[str, Callable[[], Column]] = {
            name: partial(samples.column, name) for name in samples.derived
        }
        columns[OFF] = lambda: off
        sums = {OFF: OFF}
        if self._timer is not None:
            columns[WALL] = lambda: off + on
            sums = {WALL: WALL, OFF: OFF}
            if STATE in columns:
                columns[STATE] = partial(self._states, samples)
        roles: Roles = {**samples.roles, Role.SUM: sums}
        derived = Lazy(columns)
        return replace(batch, samples=replace(samples, derived=derived, roles=roles))

    def _states(self, samples: Samples) -> Column:
        return np.where(self._running(samples), RUNNING, samples.column(STATE))


def _limited(numbers: Column) -> NDArray[np.int64]:
    return np.minimum(numbers.astype(np.uint64), GREATEST).astype(np.int64)


def _in_states(samples: Samples, *states: int) -> Iterator[NDArray[np.bool_]]:
    """Yields, for each of the states, a mask of the samples in that state."""
    known = samples.name_of(Role.STATE) is not None
    letters = samples.role(Role.STATE) if known else np.zeros(samples.count, np.uint8)
    for state in states:
        yield letters == state
