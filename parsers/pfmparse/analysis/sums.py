# SPDX-License-Identifier: MIT OR GPL-2.0
"""Exact sums by dense ID."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ..layout import NDArray

Ids = NDArray[np.intp]
U64s = NDArray[np.uint64]

# bincount() sums with double precision, which is exact for 2^20 numbers of 32 bits.
EXACT = 1 << 20
FEW = 4  # add collected values when there are at least 1/4 as many as sums


class Sums:
    """Exact sums of unsigned 64-bit numbers by ID; sums may exceed 64 bits."""

    def __init__(self) -> None:
        self._low, self._high = np.zeros(0, np.uint64), np.zeros(0, np.uint64)
        self._waiting: list[tuple[Ids, Optional[U64s]]] = []
        self._size = 0  # number of values that were not added yet

    def add(self, ids: Ids, values: Optional[NDArray[np.integer[Any]]] = None) -> None:
        """Adds each value to the sum of its ID; without ``values``, adds 1."""
        if ids.size == 0:
            return
        copy = None if values is None else np.array(values, np.uint64)
        self._waiting.append((ids, copy))
        self._size += ids.size
        # An addition accesses the sums of all IDs, so small batches are collected.
        if self._size * FEW >= self._low.size:
            self._add_waiting()

    def result(self, count: int) -> list[int]:
        """Returns the sums of the IDs below ``count``."""
        return self.of(np.arange(count))

    def of(self, ids: Ids) -> list[int]:
        """Returns the sums of some IDs."""
        words = self.words(int(ids.max()) + 1 if ids.size else 0)
        high, low = (part[ids].tolist() for part in words)
        return [(a << 32) + b for a, b in zip(high, low)]

    def totals(self, count: int, width: int) -> list[int]:
        """Adds up the sums of IDs that are equal modulo ``width``; returns the totals.

        Uses only IDs below ``count``. Returns ``width`` totals.
        """
        high, low = (part.reshape(-1, width) for part in self.words(count))
        totals: list[int] = low.sum(axis=0, dtype=np.uint64).tolist()
        if high.any():
            above = [sum(column) for column in high.T.tolist()]
            totals = [(a << 32) + b for a, b in zip(above, totals)]
        return totals

    def moved(self, ids: Ids, to: Ids) -> Sums:
        """Returns the sums of ``ids``, renumbered as ``to``.

        If several ``ids`` get the same new ID, their sums are added up.
        """
        words = self.words(int(ids.max()) + 1 if ids.size else 0)
        high, low = (part[ids] for part in words)
        moved = Sums()
        moved.add(to, low)
        moved._add_waiting()
        if high.any():
            above = Sums()
            above.add(to, high)
            count = moved._low.size
            moved._high = np.array(
                [n % 2**64 for n in above.result(count)], np.uint64
            )
        return moved

    def words(self, count: int) -> tuple[U64s, U64s]:
        """Returns the sums divided by 2^32, and the remainders, for sorting."""
        self._add_waiting()
        low, high = (_grown(part, count)[:count] for part in (self._low, self._high))
        return high + (low >> np.uint64(32)), low & np.uint64(0xFFFFFFFF)

    def _add_waiting(self) -> None:
        waiting, self._waiting, self._size = self._waiting, [], 0
        if not waiting:
            return
        ids = _joined([ids for ids, _ in waiting])
        if all(values is None for _, values in waiting):
            self._low = _sum(self._low, np.bincount(ids))
            return
        wide = _joined([_or_ones(*some) for some in waiting])
        for start in range(0, ids.size, EXACT):
            part = slice(start, start + EXACT)
            low = wide[part] & np.uint64(0xFFFFFFFF)
            self._low = _sum(self._low, np.bincount(ids[part], low))
            high = wide[part] >> np.uint64(32)
            if high.any():
                self._high = _sum(self._high, np.bincount(ids[part], high))


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _or_ones(ids: Ids, values: Optional[U64s]) -> U64s:
    return np.ones(ids.size, np.uint64) if values is None else values


def _grown(part: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
    if part.size >= count:
        return part
    return np.concatenate([part, np.zeros(count - part.size, np.uint64)])


def _sum(to: NDArray[np.uint64], counts: NDArray[Any]) -> NDArray[np.uint64]:
    """Adds ``counts`` to ``to``, which is enlarged if necessary."""
    if to.size < counts.size:
        # Leave room for the IDs of further batches.
        to = _grown(to, 2 * counts.size)
    to[: counts.size] += counts.astype(np.uint64)
    return to
