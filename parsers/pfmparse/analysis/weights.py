# SPDX-License-Identifier: MIT OR GPL-2.0
"""The weight of a sample: 1, its sampling period, or the value of a column."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from ..errors import RequestError
from ..formats.roles import AGGREGATES, Role
from ..formats.samples import Column, Samples
from ..layout import NDArray
from .columns import check_name, named, pmd_named
from .events import Events

COUNT, PERIOD = "count", "period"
GREATEST = np.uint64((1 << 64) - 1)


class Weight:
    """The weight that each sample adds to the sums of a view.

    ``name`` is "count", "period", a quantity of which the format records sums, or a
    name that columns.named() accepts.
    """

    def __init__(self, name: str, events: Events) -> None:
        """Raises PfmParseError if ``name`` is a PMD of which no sample has a value."""
        check_name(name, events.recording)
        self.name = name
        self._events = events

    def of(self, samples: Samples) -> Optional[NDArray[np.integer[Any]]]:
        """Returns the weight of each sample, None if all weights are 1.

        Raises PfmParseError if the weights are unknown.
        """
        times = samples.weights()
        if self.name == COUNT:
            return times
        columns = aggregates(samples, self.name)
        if columns:
            return self._sums(samples, columns)
        values, _ = values_of(samples, self.name, self._events)
        return values if times is None else product(values, times, self.name)

    def _sums(
        self, samples: Samples, columns: Mapping[Role, str]
    ) -> NDArray[np.uint64]:
        """Returns each sample's sum, which covers all samples merged into it."""
        if Role.SUM not in columns:
            only = ", ".join(role.value for role in columns)
            text = f"the format records only {only} of '{self.name}', not its sum"
            raise RequestError(f"{text}: use another weight")
        return unsigned(samples, columns[Role.SUM])


def usual(samples: Samples, counting: bool = False) -> str:
    """Returns the default weight: the first sum that the samples record, or "count".

    If ``counting`` is set, sums are used only if the format does not record how many
    samples each one represents. Sums of periods are never the default, because formats
    that record the period of each sample have the default "count", too.
    """
    if counting and samples.name_of(Role.WEIGHT) is not None:
        return COUNT
    sums = (name for name in samples.aggregates(Role.SUM) if name != PERIOD)
    return next(sums, COUNT)


def aggregates(samples: Samples, name: str) -> dict[Role, str]:
    """Returns columns that summarise quantities, by role; may be empty.

    ``name`` selects the columns of the quantity with this name, or the column with this
    name.
    """
    return {
        role: column
        for role in AGGREGATES
        for quantity, column in samples.aggregates(role).items()
        if name in (quantity, column)
    }


def values_of(
    samples: Samples, name: str, events: Events
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Returns the value of each sample, and a mask of the samples that have one.

    ``name`` is a name that Weight accepts, except "count". Raises PfmParseError if
    there is no such column.
    """
    found = pmd_named(samples, name)
    if found is not None:
        values, there = found
        return values.astype(np.uint64, copy=False), there
    if name == PERIOD:
        return periods(samples, events), np.ones(samples.count, np.bool_)
    return unsigned(samples, name), np.ones(samples.count, np.bool_)


def unsigned(samples: Samples, name: str) -> NDArray[np.uint64]:
    """Returns a column; ``name`` is a name that columns.named() accepts.

    Raises PfmParseError if the column has negative numbers.
    """
    column = named(samples, name)
    if column.dtype.kind == "i" and (column < 0).any():
        raise RequestError(f"column '{name}' has negative numbers: use another weight")
    return column.astype(np.uint64)


def product(values: NDArray[np.uint64], times: Column, name: str) -> NDArray[np.uint64]:
    """Multiplies by ``times``; raises PfmParseError if a product exceeds 64 bits."""
    if not fits(values, times).all():
        text = f"'{name}' times the count of a sample needs more than 64 bits"
        raise RequestError(text)
    return values * times.astype(np.uint64)


def fits(values: NDArray[np.uint64], times: Column) -> NDArray[np.bool_]:
    """Returns a mask of the products that fit into 64 bits."""
    wide = times.astype(np.uint64)
    fitting: NDArray[np.bool_] = values <= GREATEST // np.maximum(wide, np.uint64(1))
    return fitting


def period_sums(samples: Samples) -> Optional[NDArray[np.uint64]]:
    """Returns the sums of periods, None if the format does not record them."""
    name = aggregates(samples, PERIOD).get(Role.SUM)
    return None if name is None else unsigned(samples, name)


def periods(samples: Samples, events: Events) -> NDArray[np.uint64]:
    """Returns the sampling period of each sample.

    If the format records only the sum of the periods of several samples, returns their
    mean, rounded down. If the format records no periods at all, returns the period that
    the session has for the sample's event.
    """
    if samples.name_of(Role.PERIOD) is not None:
        return samples.role(Role.PERIOD).astype(np.uint64)
    sums, counts = period_sums(samples), samples.weights()
    if sums is not None and counts is not None:
        wide = counts.astype(np.uint64)
        means: NDArray[np.uint64] = sums // np.maximum(wide, np.uint64(1))
        return means
    table = np.array([event.period for event in events.all], np.uint64)
    return table[events.ids(samples)]
