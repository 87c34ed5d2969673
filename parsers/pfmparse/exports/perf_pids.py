# SPDX-License-Identifier: MIT OR GPL-2.0
"""Change process IDs in perf.data if captures use one ID for different processes."""

from __future__ import annotations

import numpy as np

from ..analysis.columns import NOBODY
from ..analysis.inputs import Input
from ..capture.threads import IDLE
from .interface import ExportError, Job
from .perf_records import Words

STEP = 1 << 22  # Linux has no larger IDs (PID_MAX_LIMIT)
END = 1 << 31  # perf's IDs are signed 32-bit numbers
SHARED = "the original IDs of different processes that have the same ID"


class Pids:
    """Changes the process and thread IDs of an input."""

    def __init__(self, shift: int = 0) -> None:
        """Adds ``shift`` to each ID."""
        self._shift = shift

    def one(self, number: int) -> int:
        """Returns the new ID of a process or thread."""
        return number if number in (IDLE, NOBODY) else number + self._shift

    def all(self, numbers: Words) -> Words:
        """Returns the new IDs."""
        if not self._shift:
            return numbers
        fixed = (numbers == np.uint64(IDLE)) | (numbers == np.uint64(NOBODY))
        return np.where(fixed, numbers, numbers + np.uint64(self._shift))


class AllPids:
    """Chooses IDs for the processes of all inputs."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._known: dict[int, object] = {}  # descriptions of the processes so far
        self._shift = 0

    def of(self, source: Input) -> Pids:
        """Returns the object that changes the IDs of an input.

        Call this method once for each input. Raises ExportError if there are not enough
        IDs.
        """
        processes = _described(source)
        common = self._known.keys() & processes.keys()
        if all(self._known[tgid] == processes[tgid] for tgid in common):
            self._known |= processes
            return Pids()
        self._job.lack(SHARED)
        self._shift += STEP
        if self._shift >= END:
            raise ExportError(
                "too many captures in which the same process ID belongs to different "
                "processes: export fewer captures at once"
            )
        return Pids(self._shift)


def _described(source: Input) -> dict[int, object]:
    """Returns the names and mappings of each process, to compare processes."""
    recording = source.recording.source
    found: dict[int, list[object]] = {}
    for thread in recording.threads:
        if thread.tgid != IDLE:
            found.setdefault(thread.tgid, []).append((thread.tid, thread.comm))
    for _, maps in recording.maps.all():
        found.setdefault(maps.tgid, []).append(maps)
    for symbols in recording.jit.processes():
        found.setdefault(symbols.tgid, []).append(symbols)
    return {**found}
