# SPDX-License-Identifier: MIT OR GPL-2.0
"""Counts samples by a pair of numbers."""

from __future__ import annotations

from typing import Callable, Optional

import numpy as np
from numpy.typing import NDArray

from ..formats.samples import Column

U64s = NDArray[np.uint64]

PENDING = 1 << 18  # pairs that are collected before they are counted
CHUNK = 1 << 16  # samples that are looked up at once
SLOTS = 1 << 16

# An odd number that spreads neighbours apart: 2^64 / golden ratio.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class PairCounts:
    """How many samples had each pair (a, b) of 64-bit numbers.

    Memory grows with the number of distinct pairs, not of samples.

    Frequent pairs are counted in two tables. In the first, the low bits of b select
    a pair's slot: the addresses of a program's code are close together and do not
    collide there. Pairs whose slot is taken go to the second, which is indexed by a
    hash; those that collide there too are sorted. So are those with weights: who has
    them has counted, and there are few.
    """

    def __init__(self) -> None:
        none = np.zeros(0, np.uint64)
        self._first, self._second = _Slots(_low_bits), _Slots(_hash)
        self._sorted = (none, none, none)
        self._for_second = _Pending(self._count_second)
        self._for_sort = _Pending(self._sort)
        self._a, self._b = np.zeros(CHUNK, np.uint64), np.zeros(CHUNK, np.uint64)
        self._filled = 0
        self._weighted: list[tuple[U64s, U64s, U64s]] = []
        self._weights = 0

    def add(self, a: Column, b: Column, weights: Optional[Column] = None) -> None:
        """Counts samples, each as often as its weight says; all have shape (n,)."""
        if weights is not None:
            self._add_weighted(a, b, weights)
            return
        done = 0
        while done < b.size:
            number = min(CHUNK - self._filled, b.size - done)
            to = slice(self._filled, self._filled + number)
            self._a[to] = a[done : done + number]
            self._b[to] = b[done : done + number]
            self._filled += number
            done += number
            if self._filled == CHUNK:
                self._count_first()

    def result(self) -> tuple[U64s, U64s, U64s]:
        """The distinct pairs' a, b and counts, each of shape (m,); no count is 0."""
        self._count_first()
        self._for_second.flush()
        self._for_sort.flush()
        self._sum_weighted()
        tables = _join(self._first.result(), self._second.result())
        return _join(self._sorted, tables)

    def _add_weighted(self, a: Column, b: Column, weights: Column) -> None:
        """Collects samples with weights; sums them when there are many."""
        some = weights != 0
        parts = [part[some].astype(np.uint64) for part in (a, b, weights)]
        self._weighted.append((parts[0], parts[1], parts[2]))
        self._weights += parts[0].size
        if self._weights >= PENDING:
            self._sum_weighted()

    def _sum_weighted(self) -> None:
        if self._weighted:
            parts = [np.concatenate(part) for part in zip(*self._weighted)]
            self._weighted, self._weights = [], 0
            self._sorted = _join(self._sorted, (parts[0], parts[1], parts[2]))

    def _count_first(self) -> None:
        """Counts the samples collected so far."""
        a, b, self._filled = self._a[: self._filled], self._b[: self._filled], 0
        # Often all are equal: one number is faster than an array of it.
        if b.size and (a == a[0]).all():
            a = a[:1].copy()
        if b.size:
            self._for_second.add(*self._first.add(a, b))

    def _count_second(self, a: U64s, b: U64s) -> None:
        self._for_sort.add(*self._second.add(a, b))

    def _sort(self, a: U64s, b: U64s) -> None:
        self._sorted = _join(self._sorted, _count(a, b))


class _Pending:
    """Collects pairs until there are enough of them to be worth processing."""

    def __init__(self, consume: Callable[[U64s, U64s], None]) -> None:
        self._consume = consume
        self._pairs: list[tuple[U64s, U64s]] = []
        self._size = 0

    def add(self, a: U64s, b: U64s) -> None:
        """Collects pairs; ``a`` has shape (n,), or (1,) if it is the same in all."""
        if b.size:
            self._pairs.append((a, b))
            self._size += b.size
        if self._size >= PENDING:
            self.flush()

    def flush(self) -> None:
        """Processes what was collected."""
        if self._pairs:
            pairs, self._pairs, self._size = self._pairs, [], 0
            a = np.concatenate([np.broadcast_to(a, b.shape) for a, b in pairs])
            b = np.concatenate([b for _, b in pairs])
            self._consume(a, b)


class _Slots:
    """Counts of the pairs that have a slot to themselves.

    An empty slot holds an arbitrary pair with a count of 0. The last slot is for
    pairs without one.
    """

    def __init__(self, slots_of: Callable[[U64s, U64s], U64s]) -> None:
        """``slots_of`` maps pairs to slots, modulo the number of slots."""
        self._slots_of = slots_of
        self._a = np.zeros(SLOTS + 1, np.uint64)
        self._b = np.zeros(SLOTS + 1, np.uint64)
        self._counts = np.zeros(SLOTS + 1, np.int64)
        self._same_a = True  # in all slots

    def add(self, a: U64s, b: U64s) -> tuple[U64s, U64s]:
        """Counts pairs; those whose slot another pair has are returned instead.

        ``a`` has shape (n,), or (1,) if it is the same in all pairs.
        """
        slots = self._find(a, b)
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

    def _find(self, a: U64s, b: U64s) -> NDArray[np.intp]:
        """The slot of each pair."""
        slots = self._slots_of(a, b)
        slots &= np.uint64(SLOTS - 1)
        return slots.view(np.int64).astype(np.intp, copy=False)

    def _of_others(self, slots: NDArray[np.intp], a: U64s, b: U64s) -> NDArray[np.intp]:
        """The indices of the pairs that are not in their slots."""
        differ = self._b.take(slots) != b
        if not (self._same_a and a.size == 1 and a[0] == self._a[0]):
            differ |= self._a.take(slots) != a
        return np.flatnonzero(differ)

    def _take_empty(
        self, slots: NDArray[np.intp], which: NDArray[np.intp], a: U64s, b: U64s
    ) -> bool:
        """Gives empty slots to some of these pairs; False if there were none."""
        empty = which[self._counts.take(slots[which]) == 0]
        if empty.size == 0:
            return False
        if not self._counts.any():
            self._a[:] = a[0]
        taken, first = np.unique(slots[empty], return_index=True)
        self._a[taken] = np.broadcast_to(a, b.shape)[empty[first]]
        self._same_a = bool((self._a == self._a[0]).all())
        self._b[taken] = b[empty[first]]
        return True


def _low_bits(a: U64s, b: U64s) -> U64s:
    """Neighbouring slots for neighbouring b; far apart for different a."""
    return a * MULTIPLIER + b


def _hash(a: U64s, b: U64s) -> U64s:
    """A slot that depends on all bits of the pair."""
    mixed = (a * MULTIPLIER) ^ b
    mixed *= MULTIPLIER
    mixed >>= np.uint64(32)
    return mixed


def _join(
    one: tuple[U64s, U64s, U64s], other: tuple[U64s, U64s, U64s]
) -> tuple[U64s, U64s, U64s]:
    """Both, with the counts of equal pairs added up."""
    joined = [np.concatenate(both) for both in zip(one, other)]
    return _merge(joined[0], joined[1], joined[2])


def _count(a: U64s, b: U64s) -> tuple[U64s, U64s, U64s]:
    """Distinct pairs, and how many samples have each."""
    if a.size and np.all(a == a[0]):
        # Sorting one array is several times faster than sorting pairs.
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
