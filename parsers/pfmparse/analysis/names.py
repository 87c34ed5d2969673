# SPDX-License-Identifier: MIT OR GPL-2.0
"""The names of the samples' processes and threads."""

from __future__ import annotations

import numpy as np

from ..formats.roles import Role
from ..formats.samples import Samples
from ..recording import Recording
from ..symbols.location import UNKNOWN
from .columns import NOBODY, processes
from .interner import Ids, Interner


class Names:
    """Dense IDs for thread names; if these are unknown, for process names."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._pairs = Interner()
        self._names: list[str] = []

    def ids(self, samples: Samples) -> Ids:
        """Returns the name ID of each sample.

        Raises PfmParseError if the samples' processes are unknown.
        """
        tgids = processes(samples, self._recording).astype(np.uint64)
        tids = np.full(1, NOBODY, np.uint64)
        if samples.name_of(Role.THREAD) is not None:
            tids = samples.role(Role.THREAD).astype(np.uint64)
        return self._pairs.ids(np.broadcast_to(tids, tgids.shape), tgids)

    def all(self) -> list[str]:
        """Returns the names, indexed by ID."""
        tids, tgids = (part.tolist() for part in self._pairs.pairs())
        done = len(self._names)
        self._names += [self.of(*pair) for pair in zip(tids[done:], tgids[done:])]
        return self._names

    def of(self, tid: int, tgid: int) -> str:
        """Returns the name of a thread or, if that is unknown, of its process."""
        threads = self._recording.source.threads
        return threads.name(tid) or threads.name(tgid) or UNKNOWN
