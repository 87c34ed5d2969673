# SPDX-License-Identifier: MIT OR GPL-2.0
"""Counts samples by a pair of numbers."""

from __future__ import annotations

import sys
from typing import Callable

import numpy as np
from numpy.typing import NDArray

from .samples import Column

U64s = NDArray[np.uint64]

PENDING = 1 << 18  # pairs that are kept before they are counted together
CHUNK = 1 << 14  # samples that are looked up at once: they stay in the cache
SLOTS = 1 << 14
HIGH_HALF = 1 if sys.byteorder == "little" else 0  # of a number of 64 bits

# Odd numbers that spread close ones: 2^64 over the golden ratio, over sqrt(2).
FIRST_MULTIPLIER = 0x9E3779B97F4A7C15
SECOND_MULTIPLIER = 0xB504F333F9DE6485


class PairCounts:
    """How many samples had each pair (a, b) of 64-bit numbers.

    Memory grows with the number of distinct pairs, not of samples.

    Pairs that come often are counted in tables, where a hash finds them. Those
    whose place in the first one is another pair's are looked up in the second one;
    those that have no place there either are sorted.
    """

    def __init__(self) -> None:
        none = np.zeros(0, np.uint64)
        self._first, self._second = _Slots(FIRST_MULTIPLIER), _Slots(SECOND_MULTIPLIER)
        self._sorted = (none, none, none)
        self._for_second = _Pending(self._count_second)
        self._for_sort = _Pending(self._sort)

    def add(self, a: Column, b: Column) -> None:
        """Counts samples; both arrays have shape (n,)."""
        for start in range(0, b.size, CHUNK):
            part = slice(start, start + CHUNK)
            some = a[part]
            # Often all have the same: one number is faster than an array of it.
            if (some == some[0]).all():
                some = some[:1]
            left = self._first.add(some.astype(np.uint64), b[part].astype(np.uint64))
            self._for_second.add(*left)

    def result(self) -> tuple[U64s, U64s, U64s]:
        """The distinct pairs' a, b and counts, each of shape (m,)."""
        self._for_second.flush()
        self._for_sort.flush()
        tables = _join(self._first.result(), self._second.result())
        return _join(self._sorted, tables)

    def _count_second(self, a: U64s, b: U64s) -> None:
        self._for_sort.add(*self._second.add(a, b))

    def _sort(self, a: U64s, b: U64s) -> None:
        self._sorted = _join(self._sorted, _count(a, b))


class _Pending:
    """Pairs that are kept until it is worth while to do something with them."""

    def __init__(self, consume: Callable[[U64s, U64s], None]) -> None:
        self._consume = consume
        self._pairs: list[tuple[U64s, U64s]] = []
        self._size = 0

    def add(self, a: U64s, b: U64s) -> None:
        """Keeps pairs; ``a`` has shape (n,), or (1,) if it is the same in all."""
        if b.size:
            self._pairs.append((a, b))
            self._size += b.size
        if self._size >= PENDING:
            self.flush()

    def flush(self) -> None:
        """Does it now."""
        if self._pairs:
            pairs, self._pairs, self._size = self._pairs, [], 0
            a = np.concatenate([np.broadcast_to(a, b.shape) for a, b in pairs])
            b = np.concatenate([b for _, b in pairs])
            self._consume(a, b)


class _Slots:
    """Counts of the pairs that have a slot for themselves.

    An empty slot holds the pair (0, 0) with a count of 0. The last slot is for the
    pairs that have none.
    """

    def __init__(self, multiplier: int) -> None:
        self._multiplier = np.uint64(multiplier)
        self._a = np.zeros(SLOTS + 1, np.uint64)
        self._b = np.zeros(SLOTS + 1, np.uint64)
        self._counts = np.zeros(SLOTS + 1, np.int64)

    def add(self, a: U64s, b: U64s) -> tuple[U64s, U64s]:
        """Counts pairs; those whose slot is another pair's are returned instead.

        ``a`` has shape (n,), or (1,) if it is the same in all pairs.
        """
        slots = self._hash(a, b)
        other = self._of_others(slots, a, b)
        if other.size and self._take_empty(slots, other, a, b):
            other = self._of_others(slots, a, b)
        if other.size:
            slots[other] = SLOTS
        self._counts += np.bincount(slots, minlength=SLOTS + 1)
        return (a if a.size == 1 else a[other]), b[other]

    def result(self) -> tuple[U64s, U64s, U64s]:
        """The pairs that have slots: a, b and counts."""
        used = np.flatnonzero(self._counts[:SLOTS])
        return self._a[used], self._b[used], self._counts[used].astype(np.uint64)

    def _hash(self, a: U64s, b: U64s) -> NDArray[np.intp]:
        """The slot of each pair."""
        mixed = (a * self._multiplier) ^ b
        mixed *= self._multiplier
        # Bits from 32 on are the best mixed ones, and a shift is slower than a view.
        high = mixed.view(np.uint32)[HIGH_HALF::2]
        return np.bitwise_and(high, np.uint32(SLOTS - 1)).astype(np.intp)

    def _of_others(self, slots: NDArray[np.intp], a: U64s, b: U64s) -> NDArray[np.intp]:
        """The indices of the pairs that are not in their slots."""
        differ = self._b.take(slots) != b
        differ |= self._a.take(slots) != a
        return np.flatnonzero(differ)

    def _take_empty(
        self, slots: NDArray[np.intp], which: NDArray[np.intp], a: U64s, b: U64s
    ) -> bool:
        """Gives empty slots to some of these pairs; tells if there were any."""
        empty = which[self._counts.take(slots[which]) == 0]
        if empty.size == 0:
            return False
        taken, first = np.unique(slots[empty], return_index=True)
        self._a[taken] = np.broadcast_to(a, b.shape)[empty[first]]
        self._b[taken] = b[empty[first]]
        return True


def _join(
    one: tuple[U64s, U64s, U64s], other: tuple[U64s, U64s, U64s]
) -> tuple[U64s, U64s, U64s]:
    """The counts of both."""
    joined = [np.concatenate(both) for both in zip(one, other)]
    return _merge(joined[0], joined[1], joined[2])


def _count(a: U64s, b: U64s) -> tuple[U64s, U64s, U64s]:
    """Distinct pairs of samples, with how many samples each has."""
    if a.size and np.all(a == a[0]):
        # Sorting one array of numbers is several times faster than the pairs.
        values, counts = np.unique(b, return_counts=True)
        return np.full_like(values, a[0]), values, counts.astype(np.uint64)
    return _merge(a, b, np.ones(a.size, np.uint64))


def _merge(a: U64s, b: U64s, counts: U64s) -> tuple[U64s, U64s, U64s]:
    """Distinct pairs, the counts of equal ones added up."""
    if a.size == 0:
        return a, b, counts
    order = np.lexsort((b, a))
    a, b, counts = a[order], b[order], counts[order]
    starts = np.ones(a.size, np.bool_)
    starts[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    first = np.flatnonzero(starts)
    return a[first], b[first], np.add.reduceat(counts, first)
