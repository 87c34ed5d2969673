# SPDX-License-Identifier: MIT OR GPL-2.0
"""The memory levels at which accesses found their data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

import numpy as np

from ..capture.session import Session
from ..errors import RequestError
from ..formats import data_source
from ..formats.data_source import NEAREST_FIRST, TLBS_FIRST
from ..formats.roles import Role
from ..formats.samples import Column, Samples
from .columns import optional
from .interner import Ids, Interner
from .weights import aggregates

UNKNOWN = NEAREST_FIRST.index(data_source.UNKNOWN)


@dataclass(frozen=True)
class Thresholds:
    """Maximum latencies of hits in the L2 and the L3 cache, in cycles.

    Accesses with a higher latency got their data from memory.
    """

    l2: int
    l3: int


# For Itanium 2, whose event address registers do not record the level.
ITANIUM_2 = Thresholds(5, 14)


def usual(session: Session) -> Optional[Thresholds]:
    """Returns the thresholds of the monitored machine, None if they are unknown."""
    return ITANIUM_2 if session.machine.arch == "ia64" else None


class Classes(ABC):
    """Sorts samples into classes, such as memory levels.

    ``names`` has the names of the classes, those nearest to the CPU first.
    After ids(), ``thresholds`` has the latencies that were used, or None. ``by_source``
    is set if the data source was used; ``sums`` is set if the format records only sums
    of latencies.
    """

    names: Sequence[str]
    thresholds: Optional[Thresholds] = None
    by_source = False
    sums = False

    @abstractmethod
    def ids(self, samples: Samples) -> Ids:
        """Returns the class index of each sample."""


class Levels(Classes):
    """Memory levels by data source, or by latency if the source is unknown."""

    names = NEAREST_FIRST

    def __init__(
        self, given: Optional[Thresholds], otherwise: Optional[Thresholds]
    ) -> None:
        """Sets the thresholds.

        If ``given`` is not None, all levels are derived from latencies, with these
        thresholds. If it is None, this is done only for samples whose data source is
        unknown, with the thresholds ``otherwise``.
        """
        self._given = given
        self._usable = given or otherwise
        self._sources = _Table(self.names, data_source.level_of)

    def ids(self, samples: Samples) -> Ids:
        """Returns the level index of each sample."""
        ids = np.full(samples.count, UNKNOWN, np.intp)
        sources = optional(samples, Role.DATA_SOURCE)
        if sources is not None and self._given is None:
            ids = self._sources.ids(sources)
            self.by_source = self.by_source or bool((ids != UNKNOWN).any())
        latencies = optional(samples, Role.LATENCY)
        self.sums = self.sums or bool(aggregates(samples, Role.LATENCY.value))
        if self._given is not None and self.sums:
            raise RequestError(
                "the format records only sums of latencies, and levels cannot be "
                "derived from sums: omit --l2 and --l3"
            )
        if self._usable is None or latencies is None:
            return ids
        rest = (ids == UNKNOWN) & (latencies != 0)
        if rest.any():
            self.thresholds = self._usable
            ids[rest] = _by_latency(latencies[rest], self._usable)
        return ids


class Tlbs(Classes):
    """Results of the address translation, by data source."""

    names = TLBS_FIRST

    def __init__(self) -> None:
        self._table = _Table(self.names, data_source.tlb_of)

    def ids(self, samples: Samples) -> Ids:
        """Returns the class index of each sample.

        Raises PfmParseError if the samples have no data source.
        """
        return self._table.ids(samples.role(Role.DATA_SOURCE))


class _Table:
    """Maps numbers to classes; computes the class of each distinct number once."""

    def __init__(self, names: Sequence[str], of: Callable[[int], str]) -> None:
        self._names = names
        self._of = of
        self._numbers = Interner()
        self._classes = np.zeros(0, np.intp)

    def ids(self, column: Column) -> Ids:
        """Returns the class index of each value."""
        numbers = self._numbers.ids(np.zeros(1, np.uint64), column)
        if len(self._numbers) > self._classes.size:
            new = self._numbers.pairs()[1][self._classes.size :].tolist()
            found = [self._names.index(self._of(number)) for number in new]
            self._classes = np.append(self._classes, np.array(found, np.intp))
        classes: Ids = self._classes[numbers]
        return classes


def _by_latency(latencies: Column, thresholds: Thresholds) -> Ids:
    second, third, memory = (NEAREST_FIRST.index(n) for n in ("L2", "L3", "RAM"))
    beyond = np.where(latencies <= thresholds.l3, third, memory)
    return np.where(latencies <= thresholds.l2, second, beyond).astype(np.intp)
