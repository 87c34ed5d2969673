# SPDX-License-Identifier: MIT OR GPL-2.0
"""Which rows of addresses come first, before it is looked up where they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np

from .interner import Ids, U64s

COUNT, VALUE, LEVEL = ORDERS = ("count", "value", "level")

# Numbers as Sums.words() gives them: of 2^32, and what is left.
Words = tuple[U64s, U64s]

SLACK = 1 + 2.0**-20  # sums in double precision are right but for less


@dataclass(frozen=True)
class Wanted:
    """The first rows in an order: ``top`` at most, which have ``cum`` percent."""

    order: str = COUNT
    top: Optional[int] = None
    cum: float = 100.0

    @property
    def all(self) -> bool:
        """All rows are wanted."""
        return self.top is None and self.cum >= 100

    def enough(self, total: int) -> int:
        """How many samples of the total are ``cum`` percent, exactly, rounded up."""
        part, whole = self.cum.as_integer_ratio()
        return -(-part * total // (100 * whole))


def first(addresses: U64s, samples: Words, classes: Words, wanted: Wanted) -> Ids:
    """The indices of the rows that can be among those that are wanted.

    Rows have an address and ``samples``; ``classes`` have the shape (rows, classes).
    What has an address alone is a row. What shares it with others may be one row with
    them, or several, so that it can be anywhere.
    """
    _, inverse, times = np.unique(addresses, return_inverse=True, return_counts=True)
    shared = times[inverse] > 1
    alone = np.flatnonzero(~shared)
    keys = [~addresses, *_descending(samples)]
    if wanted.order == VALUE:
        keys = [addresses]
    elif wanted.order == LEVEL:
        # The last one is that of those whose level is not known.
        for at in range(classes[0].shape[1] - 1):
            keys += _descending((classes[0][:, at], classes[1][:, at]))
    order = np.lexsort([key[alone] for key in keys])
    needed = _needed(samples, alone[order], wanted)
    found: Ids = np.concatenate([np.flatnonzero(shared), alone[order][:needed]])
    return found


def _descending(words: Words) -> list[U64s]:
    """Keys of a sort that puts large numbers first; the last one counts most."""
    high, low = words
    return [~low, ~high]


def _needed(samples: Words, order: Ids, wanted: Wanted) -> int:
    """How many rows of those in this order are enough."""
    needed = order.size if wanted.top is None else wanted.top
    if wanted.cum < 100:
        numbers = samples[0] * 2.0**32 + samples[1]
        so_far = np.cumsum(numbers[order])
        enough = numbers.sum() * wanted.cum / 100
        # Some more are no mistake.
        needed = min(needed, int(np.searchsorted(so_far, enough * SLACK)) + 1)
    return needed
