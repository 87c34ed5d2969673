# SPDX-License-Identifier: MIT OR GPL-2.0
"""The distribution of numbers in groups: percentiles and histograms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ..arrays import NDArray
from .interner import Ids, Interner, U64s
from .sums import Sums

EXACT_BITS = 7  # each number with up to 7 bits has its own bucket
FRACTION = EXACT_BITS - 1  # bits after the first that distinguish larger numbers


@dataclass(frozen=True)
class Bucket:
    """The count of numbers from ``low`` to ``high``, inclusive."""

    low: int
    high: int
    count: int


class Spread:
    """Counts of numbers in buckets whose ends differ by less than 2%."""

    def __init__(self) -> None:
        self._pairs = Interner()  # group and bucket
        self._counts = Sums()

    def add(
        self, ids: Ids, values: U64s, times: Optional[NDArray[np.integer[Any]]] = None
    ) -> None:
        """Adds each value to the group with the same index in ``ids``.

        A value counts once, or as often as ``times`` says.
        """
        self._counts.add(self._pairs.ids(ids, _bucket(values)), times)

    def buckets(self, count: int) -> list[list[Bucket]]:
        """The non-empty buckets of each group below ``count``, in ascending order."""
        found: list[list[Bucket]] = [[] for _ in range(count)]
        groups, numbers = self._pairs.pairs()
        counts = self._counts.result(len(self._pairs))
        for at in np.lexsort((numbers, groups)).tolist():
            low, high = _ends(int(numbers[at]))
            found[int(groups[at])].append(Bucket(low, high, counts[at]))
        return found


def percentile(buckets: list[Bucket], percent: float) -> int:
    """The percentile, rounded up to the end of its bucket."""
    total = sum(bucket.count for bucket in buckets)
    seen = 0
    for bucket in buckets:
        seen += bucket.count
        if 100 * seen >= percent * total:
            return bucket.high
    return 0


def _bucket(values: U64s) -> U64s:
    """The bucket number of each value."""
    small = values < np.uint64(1 << EXACT_BITS)
    if small.all():
        return values
    shifts = np.where(small, np.uint64(0), _bits(values) - np.uint64(EXACT_BITS))
    tops: U64s = values >> shifts
    return (shifts << np.uint64(FRACTION)) + tops


def _bits(values: U64s) -> U64s:
    """The bit length of each number; a logarithm would not be exact."""
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
