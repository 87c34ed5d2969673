# SPDX-License-Identifier: MIT OR GPL-2.0
"""Columns that are added to samples whose format does not have them.

The data come from virtual PMDs of the perf_events PMU (perfmon.h), if samples record
them, and from the contexts, each of which has a thread.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Mapping, Optional

import numpy as np

from ..capture.session import Context, Session
from .roles import Role
from .samples import Column, Lazy, Samples

PMU = "perf_events"
# The PMDs of the newest branch. The PMDs of older branches have the next indices.
BRANCH_FROM, BRANCH_TO, BRANCH_FLAGS = 272, 280, 288
# The PMDs with data of samples, each with a column name. The name of a PMD whose values
# have a role implies this role.
NAMES: Mapping[int, str] = {
    255: "state",
    260: "dla",
    261: "lat",
    262: "weight2",
    263: "weight3",
    264: "dse",
    265: "physical",
    266: "transaction",
    BRANCH_FROM: "branch_from",
    BRANCH_TO: "branch_to",
    BRANCH_FLAGS: "branch_flags",
}


class SamplePmds:
    """The PMDs in NAMES that a session records with its samples."""

    def __init__(self, pmds: frozenset[int], always: frozenset[int]) -> None:
        """``always`` are the PMDs that the session records for each event."""
        self._pmds = pmds
        self._always = always
        # The columns that were read, and whether any sample had another value than 0.
        self._read: dict[str, bool] = {}

    @classmethod
    def of(cls, session: Session) -> Optional[SamplePmds]:
        """Returns the session's PMDs, or None if no sample can have such a PMD."""
        if session.machine.pmu not in (None, PMU):
            return None
        pmds = session.recorded_pmds & NAMES.keys()
        lists = [
            pmd.smpl_pmds for each in session.sets for pmd in each.pmds if pmd.sampling
        ]
        return cls(pmds, pmds.intersection(*lists)) if pmds else None

    def add_to(self, samples: Samples) -> Samples:
        """Returns the samples with derived columns for PMDs that have no column.

        Adds no column for PMDs whose values the samples cannot have.
        """
        if samples.summarise:
            return samples
        pmds = self._pmds
        if samples.count and not samples.groups:
            # The format does not record PMDs, or not those of these samples' events.
            pmds -= self._always
        derived = {name: partial(samples.column, name) for name in samples.derived}
        for pmd in pmds:
            if not _has(samples, NAMES[pmd]):
                derived[NAMES[pmd]] = partial(self._values, samples, pmd)
        return replace(samples, derived=Lazy(derived))

    @property
    def missing(self) -> list[str]:
        """The columns that were read and are 0 in all samples."""
        return sorted(name for name, found in self._read.items() if not found)

    def _values(self, samples: Samples, pmd: int) -> Column:
        column, name = samples.pmd_values(pmd)[0], NAMES[pmd]
        if column.size and not self._read.get(name):
            self._read[name] = bool(column.any())
        return column


def _has(samples: Samples, name: str) -> bool:
    """Returns whether samples have a column with this name, or with its role."""
    roles = (role for role in Role if name in role.usual)
    return samples.has(name) or any(map(samples.name_of, roles))


THREAD, PROCESS = "context_tid", "context_tgid"  # columns that are added


class ContextThreads:
    """The threads of a session's contexts."""

    def __init__(self, contexts: Mapping[int, Context]) -> None:
        self._contexts = contexts

    @classmethod
    def of(
        cls, mode: str, contexts: Mapping[int, Context], complete: bool
    ) -> Optional[ContextThreads]:
        """Returns the threads, or None if no columns need to be added.

        Columns are needed only if each context belongs to a thread, and if there are
        several contexts or ``complete`` is False: more may then follow in the capture.
        """
        if mode != "thread" or (complete and len(contexts) < 2):
            return None
        return cls(contexts)

    def tell(self, samples: Samples, context: int) -> Samples:
        """Adds the context's thread and process to the samples, if they lack them."""
        known = self._contexts.get(context)
        if known is None:
            return samples
        for role, name, number in (
            (Role.THREAD, THREAD, known.tid),
            (Role.PROCESS, PROCESS, known.tgid),
        ):
            if number is not None and samples.name_of(role) is None:
                samples = _with(samples, role, name, number)
        return samples


def _with(samples: Samples, role: Role, name: str, number: int) -> Samples:
    """Adds a derived column that has the same number for all samples."""

    def column() -> Column:
        return np.full(samples.count, number, np.uint32)

    there = {each: partial(samples.column, each) for each in samples.derived}
    derived = Lazy({**there, name: column})
    return replace(samples, derived=derived, roles={**samples.roles, role: name})
