# SPDX-License-Identifier: MIT OR GPL-2.0
"""Event address registers (EARs) of Itanium 2, which samples record as PMDs.

The data EAR has the data address, the latency and the instruction address of a load
that missed the cache. The instruction EAR has the cache line of the code and the
latency. With TLB events, both EARs have the source of the address translation instead
of a latency.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Callable, Mapping

import numpy as np

from ..capture.session import Session
from ..layout import NDArray
from .samples import Column, Lazy, PmdGroup, Samples

U64s = NDArray[np.uint64]

DATA_LATENCY, CODE_LATENCY = (1 << 13) - 1, (1 << 12) - 1  # masks of the latency
DATA_STATUS, CODE_STATUS = 14, 0  # first of two bits for the source of the translation
SLOT, NEXT_BUNDLE, VALID = 0x3, 0x4, 0x8  # bits of the PMD with the instruction
BUNDLE = 16  # bytes
LINE = 32  # bytes

# The source of a translation in perf's encoding (data_source.py), indexed by the two
# status bits: unknown, second-level TLB, hardware page walker (VHPT), operating system.
HIT = 0x2 << 26
FOUND_BY = np.array([0, HIT | 0x10 << 26, HIT | 0x20 << 26, HIT | 0x40 << 26], "<u8")
LOAD, EXEC, NO_LEVEL = 0x2, 0x10, 0x20

ADDRESS = "event_ip"  # address of the event; ip is the address of the interrupt

# A function that makes a column from PMD values.
Read = Callable[[PmdGroup], U64s]


@dataclass(frozen=True)
class Ear:
    """The PMDs of an EAR, and its columns for cache events and for TLB events."""

    pmds: frozenset[int]
    cache: Mapping[str, Read]
    tlb: Mapping[str, Read]


class Ears:
    """The EARs that the samples of a session record."""

    def __init__(self, session: Session) -> None:
        self._reads: list[tuple[frozenset[int], Mapping[str, Read]]] = []
        for ear in EARS:
            events = [
                pmd.event.upper()
                for event_set in session.sets
                for pmd in event_set.pmds
                if pmd.sampling and ear.pmds <= set(pmd.smpl_pmds)
            ]
            # All events share the EAR, which is either in TLB mode or in cache mode.
            if any("TLB" in event for event in events):
                self._reads.append((ear.pmds, ear.tlb))
            elif events:
                self._reads.append((ear.pmds, ear.cache))
        self._names = dict.fromkeys(n for _, reads in self._reads for n in reads)

    def add_to(self, samples: Samples) -> Samples:
        """Returns the samples with columns that are derived from the EARs."""
        makers = {name: partial(self._column, name, samples) for name in self._names}
        return replace(samples, derived=Lazy({**_makers(samples), **makers}))

    def _column(self, name: str, samples: Samples) -> Column:
        """Returns a column of the EARs, with 0 for missing values.

        If the address of an event is missing, the column has the ip instead.
        """
        column = np.zeros(samples.count, np.uint64)
        for pmds, reads in self._reads:
            for group in samples.groups:
                if name in reads and pmds <= set(group.pmds):
                    column[group.which] = reads[name](group)
        if name == ADDRESS:
            np.copyto(column, samples.column("ip"), where=column == 0)
        return column


def _makers(samples: Samples) -> dict[str, Callable[[], Column]]:
    """Returns functions that make the derived columns that the samples already have."""
    return {name: partial(samples.column, name) for name in samples.derived}


def _value(pmd: int, group: PmdGroup) -> U64s:
    return group.values[:, group.pmds.index(pmd)].astype(np.uint64, copy=False)


def _bits(pmd: int, mask: int, group: PmdGroup) -> U64s:
    bits: U64s = _value(pmd, group) & np.uint64(mask)
    return bits


def _source(pmd: int, shift: int, operation: int, group: PmdGroup) -> U64s:
    """Returns the source of the translation in perf's encoding."""
    status = _value(pmd, group) >> np.uint64(shift) & np.uint64(3)
    source: U64s = FOUND_BY[status.astype(np.intp)] | np.uint64(operation | NO_LEVEL)
    return source


def _instruction(pmd: int, group: PmdGroup) -> U64s:
    """Returns the address of the bundle plus the slot; 0 if that is not valid."""
    value = _value(pmd, group)
    bundle = value & ~np.uint64(BUNDLE - 1)
    bundle += np.uint64(BUNDLE) * (value & np.uint64(NEXT_BUNDLE) != 0)
    bundle |= value & np.uint64(SLOT)
    bundle[value & np.uint64(VALID) == 0] = 0
    return bundle


def _data_ear(data: int, latency: int, instruction: int) -> Ear:
    both: dict[str, Read] = {
        ADDRESS: partial(_instruction, instruction),
        "dla": partial(_value, data),
    }
    return Ear(
        frozenset((data, latency, instruction)),
        {**both, "lat": partial(_bits, latency, DATA_LATENCY)},
        {**both, "dse": partial(_source, latency, DATA_STATUS, LOAD)},
    )


def _code_ear(line: int, latency: int) -> Ear:
    both: dict[str, Read] = {ADDRESS: partial(_bits, line, -LINE % (1 << 64))}
    return Ear(
        frozenset((line, latency)),
        {**both, "lat": partial(_bits, latency, CODE_LATENCY)},
        {**both, "dse": partial(_source, line, CODE_STATUS, EXEC)},
    )


# The EARs of Itanium 2 and of its dual-core successors.
EARS = (
    _data_ear(data=2, latency=3, instruction=17),
    _code_ear(line=0, latency=1),
    _data_ear(data=32, latency=33, instruction=36),
    _code_ear(line=34, latency=35),
)
