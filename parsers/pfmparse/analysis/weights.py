# SPDX-License-Identifier: MIT OR GPL-2.0
"""How much a sample weighs: one, its period, or what a column says."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ..arrays import NDArray
from ..errors import PfmParseError
from ..formats.roles import Role
from ..formats.samples import Column, Samples
from .columns import check_pmd, named, pmd_of
from .events import Events

COUNT, PERIOD = "count", "period"
GREATEST = np.uint64((1 << 64) - 1)


class Weight:
    """What a view adds up for each sample."""

    def __init__(self, name: str, events: Events) -> None:
        """``name`` is "count", "period", or what columns.named() knows.

        PfmParseError if it is a PMD of which no sample has values.
        """
        pmd = pmd_of(name)
        if pmd is not None:
            check_pmd(pmd, events.recording)
        self._name = name
        self._events = events

    def of(self, samples: Samples) -> Optional[NDArray[np.integer[Any]]]:
        """The weight of each sample, None if each has 1; PfmParseError if unknown."""
        times = samples.weights()
        if self._name == COUNT:
            return times
        weights = self._weights(samples)
        return weights if times is None else product(weights, times, self._name)

    def _weights(self, samples: Samples) -> NDArray[np.uint64]:
        if self._name == PERIOD:
            return periods(samples, self._events)
        column = named(samples, self._name)
        if column.dtype.kind == "i" and (column < 0).any():
            text = f"the column {self._name} has numbers below 0: it is no weight"
            raise PfmParseError(text, 0)
        return column.astype(np.uint64)


def product(values: NDArray[np.uint64], times: Column, name: str) -> NDArray[np.uint64]:
    """What each is so many times; PfmParseError if that needs more than 64 bits."""
    if not fits(values, times).all():
        text = f"{name} of all samples that one stands for needs more than 64 bits"
        raise PfmParseError(text, 0)
    return values * times.astype(np.uint64)


def fits(values: NDArray[np.uint64], times: Column) -> NDArray[np.bool_]:
    """Which products have 64 bits at most."""
    wide = times.astype(np.uint64)
    fitting: NDArray[np.bool_] = values <= GREATEST // np.maximum(wide, np.uint64(1))
    return fitting


def periods(samples: Samples, events: Events) -> NDArray[np.uint64]:
    """Events from the reset before to each sample's overflow, as far as known.

    Where a format does not record it, what the session says of the sample's event.
    """
    if samples.name_of(Role.PERIOD) is not None:
        return samples.role(Role.PERIOD).astype(np.uint64)
    table = np.array([event.period for event in events.all], np.uint64)
    return table[events.ids(samples)]
