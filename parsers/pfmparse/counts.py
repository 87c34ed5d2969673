# SPDX-License-Identifier: MIT OR GPL-2.0
"""Counts samples by a pair of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .samples import Column

U64s = NDArray[np.uint64]

PENDING = 1 << 20  # samples that are kept before they are counted


class PairCounts:
    """How many samples had each pair (a, b) of 64-bit numbers.

    Memory grows with the number of distinct pairs, not of samples.
    """

    def __init__(self) -> None:
        none = np.zeros(0, np.uint64)
        self._counted = (none, none, none)
        self._pending: list[tuple[U64s, U64s]] = []
        self._size = 0

    def add(self, a: Column, b: Column) -> None:
        """Counts samples; both arrays have shape (n,)."""
        self._pending.append((a.astype(np.uint64), b.astype(np.uint64)))
        self._size += b.size
        if self._size >= PENDING:
            self._count_pending()

    def result(self) -> tuple[U64s, U64s, U64s]:
        """The distinct pairs' a, b and counts, each of shape (m,)."""
        self._count_pending()
        return self._counted

    def _count_pending(self) -> None:
        if not self._pending:
            return
        a = np.concatenate([pair[0] for pair in self._pending])
        b = np.concatenate([pair[1] for pair in self._pending])
        self._pending, self._size = [], 0
        new = _count(a, b)
        joined = [np.concatenate(both) for both in zip(self._counted, new)]
        self._counted = _merge(joined[0], joined[1], joined[2])


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
