# SPDX-License-Identifier: MIT OR GPL-2.0
"""A table from numbers that are close together, such as addresses, to dense numbers."""

from __future__ import annotations

from typing import Optional

import numpy as np

from ..arrays import NDArray

U64s = NDArray[np.uint64]
Ids = NDArray[np.intp]

SIZE = 1 << 20  # numbers in a window, at most
UNKNOWN = -1


class Window:
    """The ids of numbers from ``base`` on, in a table that needs no search."""

    def __init__(self, base: int, size: int) -> None:
        self._base = np.uint64(base)
        self._ids = np.full(size, UNKNOWN, np.intp)

    @classmethod
    def around(cls, numbers: U64s) -> Optional[Window]:
        """A window around these numbers; None if they are too far apart."""
        low, high = int(numbers.min()), int(numbers.max())
        size = 2 * (high - low + 1)
        return cls(max(0, low - size // 4), size) if size <= SIZE else None

    def look_up(self, numbers: U64s, ids: Ids) -> Optional[Ids]:
        """Fills in the known ids; returns the indices of unknown numbers.

        Returns None if a number is outside of the window.
        """
        at = numbers - self._base
        if at.max() >= self._ids.size:
            return None
        self._ids.take(at.view(np.int64), 0, ids, "wrap")
        if ids.min() != UNKNOWN:
            return np.zeros(0, np.intp)
        others: Ids = (ids == UNKNOWN).nonzero()[0]
        return others

    def note(self, numbers: U64s, ids: Ids) -> None:
        """Stores the ids of numbers; ignores numbers outside of the window."""
        at = numbers - self._base
        inside = at < self._ids.size
        self._ids[at[inside].view(np.int64)] = ids[inside]
