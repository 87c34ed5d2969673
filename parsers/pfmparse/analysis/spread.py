# SPDX-License-Identifier: MIT OR GPL-2.0
"""The distribution of numbers in groups: extremes, percentiles and histograms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ..layout import NDArray
from .interner import Ids, Interner, U64s
from .sums import Sums

LOWEST, HIGHEST = np.uint64(0), np.uint64((1 << 64) - 1)


class Extremes:
    """The least or the greatest of each ID's unsigned 64-bit numbers."""

    def __init__(self, greatest: bool) -> None:
        """Keeps the greatest numbers if ``greatest`` is set, else the least ones."""
        self._choose: Any = np.maximum if greatest else np.minimum
        self._worst = LOWEST if greatest else HIGHEST
        self._numbers = np.zeros(0, np.uint64)
        self._there = np.zeros(0, np.bool_)

    def add(self, ids: Ids, values: U64s) -> None:
        """Adds each value to the ID that has the same index in ``ids``."""
        if ids.size == 0:
            return
        order = np.argsort(ids, kind="stable")
        ordered = ids[order]
        starts = np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1])
        which, best = ordered[starts], self._choose.reduceat(values[order], starts)
        self._grow(int(which[-1]) + 1)
        self._numbers[which] = self._choose(self._numbers[which], best)
        self._there[which] = True

    def result(self, count: int) -> list[Optional[int]]:
        """Returns the extremes of IDs below ``count``; None for IDs without values."""
        self._grow(count)
        pairs = zip(self._numbers[:count].tolist(), self._there.tolist())
        return [number if there else None for number, there in pairs]

    def _grow(self, count: int) -> None:
        more = count - self._numbers.size
        if more > 0:
            more += self._numbers.size  # leave room for the IDs of further batches
            self._numbers = np.append(self._numbers, np.full(more, self._worst))
            self._there = np.append(self._there, np.zeros(more, np.bool_))


EXACT_BITS = 7  # each number with up to 7 bits has its own bucket
# For larger numbers, the highest bit and this many bits after it select the bucket.
FRACTION = EXACT_BITS - 1


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
        """Adds each value to the group whose ID has the same index in ``ids``.

        ``times`` says how often each value counts, by default once.
        """
        self._counts.add(self._pairs.ids(ids, _bucket(values)), times)

    def buckets(self, count: int) -> list[list[Bucket]]:
        """Returns the non-empty buckets of each group whose ID is below ``count``.

        The buckets of a group are in ascending order.
        """
        found: list[list[Bucket]] = [[] for _ in range(count)]
        groups, numbers = self._pairs.pairs()
        counts = self._counts.result(len(self._pairs))
        for at in np.lexsort((numbers, groups)).tolist():
            low, high = _ends(int(numbers[at]))
            found[int(groups[at])].append(Bucket(low, high, counts[at]))
        return found


def percentile(buckets: list[Bucket], percent: float) -> int:
    """Returns the percentile, rounded up to the end of the bucket that contains it."""
    total = sum(bucket.count for bucket in buckets)
    seen = 0
    for bucket in buckets:
        seen += bucket.count
        if 100 * seen >= percent * total:
            return bucket.high
    return 0


def _bucket(values: U64s) -> U64s:
    """Returns the bucket index of each value."""
    small = values < np.uint64(1 << EXACT_BITS)
    if small.all():
        return values
    shifts = np.where(small, np.uint64(0), _bits(values) - np.uint64(EXACT_BITS))
    tops: U64s = values >> shifts
    return (shifts << np.uint64(FRACTION)) + tops


def _bits(values: U64s) -> U64s:
    """Returns the bit length of each number; a logarithm would not be exact."""
    bits, rest = np.zeros(values.size, np.uint64), values.copy()
    for step in (32, 16, 8, 4, 2, 1):
        large = rest >> np.uint64(step) != 0
        bits[large] += np.uint64(step)
        rest[large] >>= np.uint64(step)
    return bits + rest


def _ends(bucket: int) -> tuple[int, int]:
    """Returns the least and the greatest number of a bucket."""
    if bucket < 1 << EXACT_BITS:
        return bucket, bucket
    shift = (bucket >> FRACTION) - 1
    top = bucket - (shift << FRACTION)
    return top << shift, ((top + 1) << shift) - 1
