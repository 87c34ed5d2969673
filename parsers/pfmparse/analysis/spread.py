# SPDX-License-Identifier: MIT OR GPL-2.0
"""How the numbers of each group are spread: sum, mean, percentiles, histogram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import NDArray
from .interner import Ids, Interner, U64s
from .sums import Sums

EXACT_BITS = 7  # numbers of so many bits are told apart
FRACTION = EXACT_BITS - 1  # bits of larger ones that are, behind the first


@dataclass(frozen=True)
class Bucket:
    """Numbers from ``low`` to ``high``, and how many there were."""

    low: int
    high: int
    count: int


class Spread:
    """Sums, and counts in buckets whose ends differ by less than 2%."""

    def __init__(self) -> None:
        self._sums = Sums()
        self._pairs = Interner()  # group and bucket
        self._counts = Sums()

    def add(self, ids: Ids, values: NDArray[np.integer[Any]]) -> None:
        """Adds a number to each of these groups."""
        wide = values.astype(np.uint64, copy=False)
        self._sums.add(ids, wide)
        self._counts.add(self._pairs.ids(ids, _bucket(wide)))

    def sums(self, count: int) -> list[int]:
        """The sums of the groups below ``count``."""
        return self._sums.result(count)

    def buckets(self, count: int) -> list[list[Bucket]]:
        """The buckets of each of them that have any, in increasing order."""
        found: list[list[Bucket]] = [[] for _ in range(count)]
        groups, numbers = self._pairs.pairs()
        counts = self._counts.result(len(self._pairs))
        for at in np.lexsort((numbers, groups)).tolist():
            low, high = _ends(int(numbers[at]))
            found[int(groups[at])].append(Bucket(low, high, counts[at]))
        return found


def percentile(buckets: list[Bucket], percent: float) -> int:
    """A number that so many percent do not exceed, from the end of its bucket."""
    total = sum(bucket.count for bucket in buckets)
    seen = 0
    for bucket in buckets:
        seen += bucket.count
        if 100 * seen >= percent * total:
            return bucket.high
    return 0


def _bucket(values: U64s) -> U64s:
    """The number of each one's bucket."""
    small = values < np.uint64(1 << EXACT_BITS)
    if small.all():
        return values
    shifts = np.where(small, np.uint64(0), _bits(values) - np.uint64(EXACT_BITS))
    tops: U64s = values >> shifts
    return (shifts << np.uint64(FRACTION)) + tops


def _bits(values: U64s) -> U64s:
    """How many bits each number has; exactly, which a logarithm would not be."""
    bits, rest = np.zeros(values.size, np.uint64), values.copy()
    for step in (32, 16, 8, 4, 2, 1):
        large = rest >> np.uint64(step) != 0
        bits[large] += np.uint64(step)
        rest[large] >>= np.uint64(step)
    return bits + rest


def _ends(bucket: int) -> tuple[int, int]:
    """The least and the greatest number of a bucket."""
    if bucket < 1 << EXACT_BITS:
        return bucket, bucket
    shift = (bucket >> FRACTION) - 1
    top = bucket - (shift << FRACTION)
    return top << shift, ((top + 1) << shift) - 1
