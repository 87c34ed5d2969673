# SPDX-License-Identifier: MIT OR GPL-2.0
"""The least and the greatest number by dense number."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .interner import Ids, U64s

LOWEST, HIGHEST = np.uint64(0), np.uint64((1 << 64) - 1)


class Extremes:
    """The least or the greatest of unsigned 64-bit numbers by id."""

    def __init__(self, greatest: bool) -> None:
        """Without ``greatest``, the least numbers are kept."""
        self._choose: Any = np.maximum if greatest else np.minimum
        self._worst = LOWEST if greatest else HIGHEST
        self._numbers = np.zeros(0, np.uint64)
        self._there = np.zeros(0, np.bool_)

    def add(self, ids: Ids, values: U64s) -> None:
        """Adds a value for each id."""
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
        """The number of each id below ``count``; None for ids without values."""
        self._grow(count)
        pairs = zip(self._numbers[:count].tolist(), self._there.tolist())
        return [number if there else None for number, there in pairs]

    def _grow(self, count: int) -> None:
        more = count - self._numbers.size
        if more > 0:
            more += self._numbers.size  # room for the ids of further batches
            self._numbers = np.append(self._numbers, np.full(more, self._worst))
            self._there = np.append(self._there, np.zeros(more, np.bool_))
