# SPDX-License-Identifier: MIT OR GPL-2.0
"""The sampling events of a capture, and the event of each sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np

from ..errors import RequestError
from ..formats.roles import Role
from ..formats.samples import Column, Samples
from ..recording import Recording
from ..symbols.location import UNKNOWN
from .interner import Ids


@dataclass(frozen=True)
class Event:
    """A sampling event: one sample was recorded for every ``period`` events.

    ``set``, ``pmd`` and ``eventid`` are None for the event named "unknown".
    """

    name: str
    set: Optional[int]
    pmd: Optional[int]
    eventid: Optional[int]
    period: int


class Events:
    """The sampling events of a session, followed by the event named "unknown".

    The ID of an event is its index in ``all``.
    """

    def __init__(self, recording: Recording) -> None:
        self.all = [
            Event(pmd.event, s.id, pmd.num, pmd.eventid, -pmd.long_reset % (1 << 64))
            for s in recording.session.sets
            for pmd in s.pmds
            if pmd.sampling
        ]
        self.recording = recording
        self.all.append(Event(UNKNOWN, None, None, None, 1))

    @property
    def unknown(self) -> int:
        """The ID of the unknown event."""
        return len(self.all) - 1

    def ids(self, samples: Samples) -> Ids:
        """Returns the event ID of each sample."""
        if samples.name_of(Role.PMD) is not None:
            return self._by_pmd(samples)
        if samples.name_of(Role.EVENT) is not None:
            return self._by_eventid(samples.role(Role.EVENT))
        only = 0 if self.unknown == 1 else self.unknown
        return np.full(samples.count, only, np.intp)

    def named(self, name: str) -> Ids:
        """Returns the IDs of the events with this name.

        Raises PfmParseError if there are none.
        """
        found = [at for at, event in enumerate(self.all) if event.name == name]
        if not found:
            there = ", ".join(dict.fromkeys(event.name for event in self.all[:-1]))
            text = f"event '{name}' was not sampled; sampled events: {there or 'none'}"
            raise RequestError(text)
        return np.array(found, np.intp)

    def _by_pmd(self, samples: Samples) -> Ids:
        pmds = samples.role(Role.PMD)
        sets: Optional[Column] = None
        if samples.name_of(Role.SET) is not None:
            sets = samples.role(Role.SET)
        ids = np.full(samples.count, self.unknown, np.intp)
        for at, event in enumerate(self.all[:-1]):
            ours = pmds == event.pmd
            ids[ours if sets is None else ours & (sets == event.set)] = at
        return ids

    def _by_eventid(self, numbers: Column) -> Ids:
        ids = np.full(numbers.size, self.unknown, np.intp)
        # Events with equal event IDs cannot be distinguished: take the first one.
        for at in range(self.unknown - 1, -1, -1):
            eventid = self.all[at].eventid
            assert eventid is not None
            ids[numbers == np.uint64(eventid)] = at
        return ids
