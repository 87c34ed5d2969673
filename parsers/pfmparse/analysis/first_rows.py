# SPDX-License-Identifier: MIT OR GPL-2.0
"""Select the first rows in a sort order before their addresses are resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np

from .interner import Ids, U64s
from .requests import COUNT, LEVEL, VALUE

# Large numbers as two arrays: the numbers divided by 2^32, and the remainders (see
# Sums.words()).
Words = tuple[U64s, U64s]

SLACK = 1 + 2.0**-20  # factor; exceeds the rounding error of sums of doubles


@dataclass(frozen=True)
class Wanted:
    """The rows to show: the first ones in the sort order ``order``.

    These are at most ``top`` rows, and no more than are needed to reach ``cum`` percent
    of the samples.
    """

    order: str = COUNT
    top: Optional[int] = None
    cum: float = 100.0

    @property
    def all(self) -> bool:
        """True if all rows are wanted."""
        return self.top is None and self.cum >= 100

    def enough(self, total: int) -> int:
        """Returns ``cum`` percent of ``total``, computed exactly and rounded up."""
        part, whole = self.cum.as_integer_ratio()
        return -(-part * total // (100 * whole))


def first(addresses: U64s, samples: Words, classes: Words, wanted: Wanted) -> Ids:
    """Returns the indices of the entries that may be part of the wanted rows.

    Each entry has an address, a number of samples, and a number of samples in each
    class; the two arrays ``classes`` have the shape (entries, classes). An entry with a
    unique address becomes one row. Entries that share an address become one row or
    several rows. The positions of such rows in the sort order are not known yet, so all
    entries that share an address are kept.
    """
    _, inverse, times = np.unique(addresses, return_inverse=True, return_counts=True)
    shared = times[inverse] > 1
    alone = np.flatnonzero(~shared)
    keys = [~addresses, *_descending(samples)]
    if wanted.order == VALUE:
        keys = [addresses]
    elif wanted.order == LEVEL:
        # The last class means that the level is unknown; it is not part of the sort
        # key.
        for at in range(classes[0].shape[1] - 1):
            keys += _descending((classes[0][:, at], classes[1][:, at]))
    order = np.lexsort([key[alone] for key in keys])
    needed = _needed(samples, alone[order], wanted)
    found: Ids = np.concatenate([np.flatnonzero(shared), alone[order][:needed]])
    return found


def _descending(words: Words) -> list[U64s]:
    """Returns keys for descending order; lexsort() sorts by the last key first."""
    high, low = words
    return [~low, ~high]


def _needed(samples: Words, order: Ids, wanted: Wanted) -> int:
    """Returns how many rows to keep, from the first on, to include all wanted rows."""
    needed = order.size if wanted.top is None else wanted.top
    if wanted.cum < 100:
        numbers = samples[0] * 2.0**32 + samples[1]
        so_far = np.cumsum(numbers[order])
        enough = numbers.sum() * wanted.cum / 100
        # A few rows too many do no harm.
        needed = min(needed, int(np.searchsorted(so_far, enough * SLACK)) + 1)
    return needed
