# SPDX-License-Identifier: MIT OR GPL-2.0
"""A table with a row for each sample, for users of the library and for exports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Callable, Optional, Sequence

import numpy as np

from ..errors import PfmParseError
from ..formats.roles import AGGREGATES, Role
from ..formats.samples import Column, Samples, constant
from ..layout import NDArray
from ..recording import Batch
from .columns import NOBODY, optional, processes, threads
from .inputs import Input
from .interner import Ids
from .names import Names
from .weights import COUNT, Weight, periods

# The roles that rows contain, in addition to PMD values and call chains.
CARRIED = frozenset(Role) - frozenset(AGGREGATES)


class RowMaker:
    """Makes rows from the batches of an input."""

    def __init__(self, source: Input, pmds: Sequence[int], weight: str = COUNT) -> None:
        """``weight`` is a name that the class Weight accepts.

        Raises PfmParseError if the weight is a PMD of which no sample has a value.
        """
        self.names = Names(source.recording)
        self.source = source
        self.pmds = pmds
        self.weight = None if weight == COUNT else Weight(weight, source.events)

    def rows(self, batch: Batch) -> Rows:
        """Returns the rows of a batch."""
        return Rows(self, batch)


class Rows:
    """Rows of a batch; ``names``, ``events``, ``places`` and ``stacks`` are IDs.

    Columns are computed when they are first used. A column that the format does not
    record is None, except ``addresses``, ``places`` and ``weights``: reading those
    raises PfmParseError.
    """

    def __init__(self, maker: RowMaker, batch: Batch) -> None:
        self._maker, self._source = maker, maker.source
        self._batch, self.samples = batch, batch.samples
        self.count = batch.samples.count

    @cached_property
    def times(self) -> Optional[Column]:
        """The times in ns."""
        return optional(self.samples, Role.TIME)

    @cached_property
    def cpus(self) -> Optional[Column]:
        """The CPUs."""
        return optional(self.samples, Role.CPU)

    @cached_property
    def tgids(self) -> Optional[Column]:
        """The processes."""
        return _known(processes, self.samples, self._source)

    @cached_property
    def tids(self) -> Optional[Column]:
        """The threads."""
        return _known(threads, self.samples, self._source)

    @cached_property
    def names(self) -> Optional[Ids]:
        """The IDs of the threads' names (see Names)."""
        return None if self.tgids is None else self._maker.names.ids(self.samples)

    @cached_property
    def events(self) -> Ids:
        """The IDs of the events (see Events)."""
        return self._source.events.ids(self.samples)

    @cached_property
    def periods(self) -> Column:
        """The sampling periods."""
        return periods(self.samples, self._source.events)

    @cached_property
    def counts(self) -> Optional[Column]:
        """The number of samples in each row; None if all numbers are 1."""
        return self.samples.weights()

    @cached_property
    def weights(self) -> Optional[Column]:
        """The weights; None if the weight is the count."""
        weight = self._maker.weight
        return None if weight is None else weight.of(self.samples)

    @cached_property
    def addresses(self) -> Column:
        """The addresses or, for samples with a cookie, offsets in the cookie's file."""
        return self.samples.role(Role.ADDRESS)

    @cached_property
    def places(self) -> Ids:
        """The IDs of the addresses (see Places)."""
        return self._source.places.own(self._batch)

    @cached_property
    def stacks(self) -> Optional[Ids]:
        """The IDs of the stacks (see Stacks)."""
        chains = self.samples.chains
        return None if chains is None else self._source.stacks.ids(self._batch)

    @cached_property
    def data_addresses(self) -> Optional[Column]:
        """The data addresses."""
        return optional(self.samples, Role.DATA_ADDRESS)

    @cached_property
    def latencies(self) -> Optional[Column]:
        """The latencies in cycles."""
        return optional(self.samples, Role.LATENCY)

    @cached_property
    def data_sources(self) -> Optional[Column]:
        """The data sources: union perf_mem_data_src."""
        return optional(self.samples, Role.DATA_SOURCE)

    @cached_property
    def pmds(self) -> Sequence[tuple[Column, NDArray[np.bool_]]]:
        """Values of the wanted PMDs, each with a mask of the samples that have one."""
        return [self.samples.pmd_values(pmd) for pmd in self._maker.pmds]


@dataclass(frozen=True)
class Number:
    """A column of numbers: its type, how to get it, and which number means "unknown".

    Only captures that record the ``role`` have the column. If ``role`` is None, all
    captures have it.
    """

    dtype: str
    get: Callable[[Rows], Optional[Column]]
    unknown: int = 0
    role: Optional[Role] = None

    def of(self, rows: Rows) -> Column:
        """Returns the column for some rows.

        If they lack it, returns a constant column, which takes almost no memory.
        """
        column = self.get(rows)
        if column is None:
            return constant(np.array([self.unknown], self.dtype), rows.count)
        return column.astype(self.dtype, copy=False)


NUMBERS = {
    "time": Number("<u8", lambda rows: rows.times, role=Role.TIME),
    "cpu": Number("<u4", lambda rows: rows.cpus, NOBODY, Role.CPU),
    "pid": Number("<u4", lambda rows: rows.tgids, NOBODY),
    "tid": Number("<u4", lambda rows: rows.tids, NOBODY),
    "period": Number("<u8", lambda rows: rows.periods),
    "count": Number("<u8", lambda rows: rows.counts, 1),
    "data_address": Number(
        "<u8", lambda rows: rows.data_addresses, role=Role.DATA_ADDRESS
    ),
    "latency": Number("<u8", lambda rows: rows.latencies, role=Role.LATENCY),
    "data_source": Number("<u8", lambda rows: rows.data_sources, role=Role.DATA_SOURCE),
}


def numbers_of(inputs: Sequence[Input]) -> dict[str, Number]:
    """Returns the number columns that any of the inputs has, including PMDs."""
    found = [samples for source in inputs if (samples := source.first()) is not None]
    columns = {
        name: number
        for name, number in NUMBERS.items()
        if number.role is None
        or any(samples.name_of(number.role) is not None for samples in found)
    }
    return columns | {f"pmd{pmd}": _pmd(pmd) for pmd in pmds_of(inputs)}


def _pmd(number: int) -> Number:
    return Number("<u8", lambda rows: rows.samples.pmd_values(number)[0])


def pmds_of(inputs: Sequence[Input]) -> list[int]:
    """Returns the PMDs whose values samples can have."""
    return sorted(
        {
            pmd
            for source in inputs
            if (samples := source.first()) is None or not samples.summarise
            for pmd in source.recording.session.recorded_pmds
        }
    )


def _known(
    select: Callable[..., Column], samples: Samples, source: Input
) -> Optional[Column]:
    """Returns the IDs of processes or threads, None if they are unknown."""
    try:
        return select(samples, source.recording)
    except PfmParseError:
        return None
