# SPDX-License-Identifier: MIT OR GPL-2.0
"""The weight of a sample: 1, its sampling period, or the value of a column."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ..arrays import NDArray
from ..errors import RequestError
from ..formats.roles import Role
from ..formats.samples import Column, Samples
from .columns import check_pmd, named, pmd_of
from .events import Events

COUNT, PERIOD = "count", "period"
GREATEST = np.uint64((1 << 64) - 1)


class Weight:
    """The weight that each sample adds to the sums of a view."""

    def __init__(self, name: str, events: Events) -> None:
        """``name`` is "count", "period", or a name for columns.named().

        PfmParseError if it is a PMD without values in any sample.
        """
        pmd = pmd_of(name)
        if pmd is not None:
            check_pmd(pmd, events.recording)
        self._name = name
        self._events = events

    def of(self, samples: Samples) -> Optional[NDArray[np.integer[Any]]]:
        """The weight of each sample, None if all are 1; PfmParseError if unknown."""
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
            text = f"column '{self._name}' has negative numbers: use another weight"
            raise RequestError(text)
        return column.astype(np.uint64)


def product(values: NDArray[np.uint64], times: Column, name: str) -> NDArray[np.uint64]:
    """The values times ``times``; PfmParseError if a product exceeds 64 bits."""
    if not fits(values, times).all():
        text = f"{name} times the weight of a sample needs more than 64 bits"
        raise RequestError(text)
    return values * times.astype(np.uint64)


def fits(values: NDArray[np.uint64], times: Column) -> NDArray[np.bool_]:
    """A mask of the products that fit into 64 bits."""
    wide = times.astype(np.uint64)
    fitting: NDArray[np.bool_] = values <= GREATEST // np.maximum(wide, np.uint64(1))
    return fitting


def periods(samples: Samples, events: Events) -> NDArray[np.uint64]:
    """The sampling period of each sample.

    If the format does not record it, it is the session's period of the sample's event.
    """
    if samples.name_of(Role.PERIOD) is not None:
        return samples.role(Role.PERIOD).astype(np.uint64)
    table = np.array([event.period for event in events.all], np.uint64)
    return table[events.ids(samples)]
