# SPDX-License-Identifier: MIT OR GPL-2.0
"""Counts samples by a pair of numbers."""

from __future__ import annotations

from typing import Optional

import numpy as np
from numpy.typing import NDArray

from .samples import Column

U64s = NDArray[np.uint64]

PENDING = 1 << 20  # samples that are kept before they are sorted
CHUNK = 1 << 13  # samples that are looked up at once: they stay in the cache
SLOT_BITS = 14
MULTIPLIER = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: spreads close numbers


class PairCounts:
    """How many samples had each pair (a, b) of 64-bit numbers.

    Memory grows with the number of distinct pairs, not of samples.

    Pairs that come often are counted in a table of slots, found by a hash; a pair
    whose slot is another's is sorted with the other such pairs. An empty slot holds
    the pair (0, 0) with a count of 0.
    """

    def __init__(self) -> None:
        none = np.zeros(0, np.uint64)
        self._slots = _Slots()
        self._counted = (none, none, none)
        self._pending: list[tuple[U64s, U64s]] = []
        self._size = 0

    def add(self, a: Column, b: Column) -> None:
        """Counts samples; both arrays have shape (n,)."""
        for start in range(0, b.size, CHUNK):
            part = slice(start, start + CHUNK)
            self._add(a[part].astype(np.uint64), b[part].astype(np.uint64))

    def result(self) -> tuple[U64s, U64s, U64s]:
        """The distinct pairs' a, b and counts, each of shape (m,)."""
        self._count_pending()
        return _join(self._counted, self._slots.result())

    def _add(self, a: U64s, b: U64s) -> None:
        missed = self._slots.add(a, b)
        if missed is None:
            return
        self._pending.append(missed)
        self._size += missed[0].size
        if self._size >= PENDING:
            self._count_pending()

    def _count_pending(self) -> None:
        if not self._pending:
            return
        a = np.concatenate([pair[0] for pair in self._pending])
        b = np.concatenate([pair[1] for pair in self._pending])
        self._pending, self._size = [], 0
        self._counted = _join(self._counted, _count(a, b))


class _Slots:
    """Counts of the pairs that have a slot for themselves."""

    def __init__(self) -> None:
        size = 1 << SLOT_BITS
        self._a = np.zeros(size, np.uint64)
        self._b = np.zeros(size, np.uint64)
        self._counts = np.zeros(size, np.int64)

    def add(self, a: U64s, b: U64s) -> Optional[tuple[U64s, U64s]]:
        """Counts pairs; those whose slot is another pair's are returned instead."""
        slots = _hash(a, b)
        missed = self._add_known(slots, a, b)
        if missed is None:
            return None
        slots, a, b = slots[missed], a[missed], b[missed]
        self._take(slots, a, b)
        missed = self._add_known(slots, a, b)
        return None if missed is None else (a[missed], b[missed])

    def result(self) -> tuple[U64s, U64s, U64s]:
        """The pairs that have slots: a, b and counts."""
        used = np.flatnonzero(self._counts)
        return self._a[used], self._b[used], self._counts[used].astype(np.uint64)

    def _add_known(
        self, slots: NDArray[np.intp], a: U64s, b: U64s
    ) -> Optional[NDArray[np.bool_]]:
        """Counts the pairs that are in their slots; tells which are not, if any."""
        missed: NDArray[np.bool_] = self._b[slots] != b
        missed |= self._a[slots] != a
        if not missed.any():
            self._counts += np.bincount(slots, minlength=self._counts.size)
            return None
        self._counts += np.bincount(slots[~missed], minlength=self._counts.size)
        return missed

    def _take(self, slots: NDArray[np.intp], a: U64s, b: U64s) -> None:
        """Gives each empty slot to one of the pairs that hash to it."""
        empty = np.flatnonzero(self._counts[slots] == 0)
        taken, first = np.unique(slots[empty], return_index=True)
        self._a[taken], self._b[taken] = a[empty[first]], b[empty[first]]


def _hash(a: U64s, b: U64s) -> NDArray[np.intp]:
    """The slot of each pair."""
    mixed = a * np.uint64(MULTIPLIER)
    mixed ^= b
    mixed *= np.uint64(MULTIPLIER)
    mixed >>= np.uint64(64 - SLOT_BITS)
    return mixed.view(np.intp)


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
