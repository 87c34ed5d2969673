# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compute the time off CPU after each context switch, as a column of the samples."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Iterator

import numpy as np

from ..formats.roles import Role
from ..formats.samples import Lazy, Roles, Samples
from ..formats.thread_state import OFF, TRACED
from ..layout import NDArray
from ..recording import Batch, Recording


class OffCpu:
    """Adds the column to samples of sessions that record context switches.

    Between two samples of a thread, its time off CPU is the elapsed time minus the CPU
    time that it used. This time belongs to the earlier sample. The last sample
    of each context is therefore held back until the next one is known. The time is 0
    for the very last sample of a context, and for stops by a tracer, because that is
    pfmon itself.
    """

    def __init__(self, recording: Recording) -> None:
        clock = recording.session.off_cpu
        there = clock is not None and clock in recording.session.recorded_pmds
        self._clock = clock if there else None
        self._source = recording.source
        self._held: dict[int, Batch] = {}

    def add_to(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Returns the batches with the column; splits some of them in two.

        Returns the batches unchanged in other sessions.
        """
        return batches if self._clock is None else self._added(batches, self._clock)

    def _added(self, batches: Iterator[Batch], clock: int) -> Iterator[Batch]:
        from .subset import subset  # only needed by such sessions

        for batch in batches:
            if not batch.samples.count:
                yield _with_times(batch, np.zeros(0, np.int64))
                continue
            times = _off_so_far(batch.samples, clock)
            before = self._held.pop(batch.context, None)
            if before is not None:
                last = _off_so_far(before.samples, clock)
                yield _with_times(before, times[:1] - last)
            is_last = np.arange(batch.samples.count) == batch.samples.count - 1
            others = replace(batch, samples=subset(batch.samples, ~is_last))
            yield _with_times(others, np.diff(times))
            last_one = subset(batch.samples, is_last)
            self._held[batch.context] = replace(batch, samples=last_one, lost={})
        if self._source.complete:
            for batch in self._held.values():
                yield _with_times(batch, np.zeros(1, np.int64))
            self._held.clear()


def _off_so_far(samples: Samples, clock: int) -> NDArray[np.int64]:
    """Returns the time off CPU of each sample's thread so far, plus a constant."""
    wall = samples.role(Role.TIME).astype(np.int64)
    on_cpu = samples.pmd_values(clock)[0].astype(np.int64)
    return wall - on_cpu


def _with_times(batch: Batch, times: NDArray[np.int64]) -> Batch:
    """Returns the batch with this column.

    The clocks of two CPUs may differ a little, so times below 0 become 0.
    """
    samples = batch.samples
    times = np.maximum(times, 0)
    if samples.name_of(Role.STATE) is not None:
        times = np.where(samples.role(Role.STATE) == TRACED, 0, times)
    columns = {name: partial(samples.column, name) for name in samples.derived}
    derived = Lazy({**columns, OFF: lambda: times})
    roles: Roles = {**samples.roles, Role.SUM: {OFF: OFF}}
    return replace(batch, samples=replace(samples, derived=derived, roles=roles))
