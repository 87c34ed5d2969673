# SPDX-License-Identifier: MIT OR GPL-2.0
"""Samples as rows of a table, for all exports of single samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional, Sequence

import numpy as np

from ..arrays import NDArray
from ..errors import PfmParseError
from ..formats.roles import Role
from ..formats.samples import Column, Samples
from ..recording import Batch
from .columns import optional, pmd_values, processes, threads
from .inputs import Input
from .interner import Ids
from .names import Names
from .weights import COUNT, Weight, periods

# The roles that rows store, besides PMD values and call chains: all of them.
CARRIED = frozenset(Role)


@dataclass(frozen=True)
class Rows:
    """Samples of a batch; ``names``, ``events``, ``places`` and ``stacks`` are ids.

    A column that the format does not record is None. ``counts`` is None if all are 1,
    ``weights`` if the weight is the count. ``pmds`` has, for each requested PMD, its
    values and a mask of the samples that have one.
    """

    count: int
    times: Optional[Column]
    cpus: Optional[Column]
    tgids: Optional[Column]
    tids: Optional[Column]
    names: Optional[Ids]
    events: Ids
    periods: Column
    counts: Optional[Column]
    weights: Optional[Column]
    addresses: Column
    places: Ids
    stacks: Optional[Ids]
    data_addresses: Optional[Column]
    latencies: Optional[Column]
    data_sources: Optional[Column]
    pmds: Sequence[tuple[Column, NDArray[np.bool_]]]


class RowMaker:
    """Makes rows of the batches of an input."""

    def __init__(self, source: Input, pmds: Sequence[int], weight: str = COUNT) -> None:
        """``weight`` is as in Weight; PfmParseError if it is a PMD without values."""
        self.names = Names(source.recording)
        self._source = source
        self._pmds = pmds
        self._weight = None if weight == COUNT else Weight(weight, source.events)

    def rows(self, batch: Batch) -> Rows:
        """The rows of a batch; PfmParseError if samples have no address or weight."""
        samples, source = batch.samples, self._source
        tgids = _known(processes, samples, source)
        return Rows(
            samples.count,
            optional(samples, Role.TIME),
            optional(samples, Role.CPU),
            tgids,
            _known(threads, samples, source),
            None if tgids is None else self.names.ids(samples),
            source.events.ids(samples),
            periods(samples, source.events),
            samples.weights(),
            None if self._weight is None else self._weight.of(samples),
            samples.role(Role.ADDRESS),
            source.places.own(batch),
            None if samples.chains is None else source.stacks.ids(batch),
            optional(samples, Role.DATA_ADDRESS),
            optional(samples, Role.LATENCY),
            optional(samples, Role.DATA_SOURCE),
            [pmd_values(samples, pmd) for pmd in self._pmds],
        )


def pmds_of(inputs: Sequence[Input]) -> list[int]:
    """The PMDs whose values samples can have."""
    return sorted(
        {
            number
            for source in inputs
            for event_set in source.recording.session.sets
            for pmd in event_set.pmds
            if pmd.sampling
            for number in pmd.smpl_pmds
        }
    )


def _known(
    select: Callable[..., Column], samples: Samples, source: Input
) -> Optional[Column]:
    """Processes or threads, None if they are unknown."""
    try:
        return select(samples, source.recording)
    except PfmParseError:
        return None
