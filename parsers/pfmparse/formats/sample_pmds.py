# SPDX-License-Identifier: MIT OR GPL-2.0
"""Data of samples that the perf_events PMU records as virtual PMDs (perfmon.h)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Mapping, Optional

from ..capture.session import Session
from . import branches
from .roles import Role
from .samples import Column, Lazy, Samples

PMU = "perf_events"
# The PMDs whose values have a role, and the usual names of the role's columns.
NAMES: Mapping[int, str] = {
    255: "state",
    260: "dla",
    261: "lat",
    264: "dse",
    branches.FROM: "branch_from",
    branches.TO: "branch_to",
    branches.FLAGS: "branch_flags",
}


class SamplePmds:
    """The PMDs with data of samples that a session records."""

    def __init__(self, pmds: frozenset[int]) -> None:
        self._pmds = pmds

    @classmethod
    def of(cls, session: Session) -> Optional[SamplePmds]:
        """None if no sample of the session can have such a PMD."""
        if session.machine.pmu not in (None, PMU):
            return None
        pmds = session.recorded_pmds & NAMES.keys()
        return cls(pmds) if pmds else None

    def add_to(self, samples: Samples) -> Samples:
        """The samples, with a derived column for each PMD whose role no column has."""
        derived = {name: partial(samples.column, name) for name in samples.derived}
        for pmd in self._pmds:
            if samples.name_of(_role(NAMES[pmd])) is None:
                derived[NAMES[pmd]] = partial(_values, samples, pmd)
        return replace(samples, derived=Lazy(derived))


def _role(name: str) -> Role:
    """The role that columns of this name usually have."""
    return next(role for role in Role if name in role.usual)


def _values(samples: Samples, pmd: int) -> Column:
    return samples.pmd_values(pmd)[0]
