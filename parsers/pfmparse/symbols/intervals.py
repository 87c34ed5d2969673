# SPDX-License-Identifier: MIT OR GPL-2.0
"""Nested intervals of addresses, which are looked up for many addresses at once."""

from __future__ import annotations

import numpy as np

from ..layout import NDArray

U64s = NDArray[np.uint64]
Ids = NDArray[np.intp]

NONE = -1


class Intervals:
    """Intervals of addresses, start <= a < end; finds the innermost one at an address.

    The innermost interval is the one that starts last. If several intervals have this
    start, it is the one with the highest rank.
    """

    def __init__(self, starts: U64s, ends: U64s, ranks: Ids) -> None:
        """All three arrays have shape (n,)."""
        self._order = np.lexsort((ranks, starts))
        self.starts = starts[self._order]
        self.ends = ends[self._order]
        # A tree of maxima: element k has the latest end of each group of 2^k intervals.
        self._latest = [self.ends]
        while self._latest[-1].size > 1:
            below = self._latest[-1]
            if below.size % 2:
                below = np.append(below, np.uint64(0))
            self._latest.append(np.maximum(below[0::2], below[1::2]))

    def innermost(self, addresses: U64s) -> Ids:
        """Returns the index of the innermost interval around each address, or NONE."""
        found: Ids = np.searchsorted(self.starts, addresses, side="right") - 1
        # Nearly always, the last interval that starts before the address contains it.
        unsure = np.flatnonzero(found >= 0)
        unsure = unsure[self.ends[found[unsure]] <= addresses[unsure]]
        found[unsure] = self._before(found[unsure], addresses[unsure])
        there = found >= 0
        found[there] = self._order[found[there]]
        return found

    def _before(self, last: Ids, addresses: U64s) -> Ids:
        """For each address, returns the last interval that ends after the address.

        Intervals after ``last`` are not considered.
        """
        block = last.copy()
        height = np.full(last.size, NONE)
        going = np.arange(last.size)
        for level, latest in enumerate(self._latest):
            good = latest[block[going]] > addresses[going]
            height[going[good]] = level
            # If no interval in the block ends late enough, continue with the block of
            # twice the size that includes the block to the left. It may include the
            # failed block again.
            going = going[~good & (block[going] > 0)]
            block[going] = (block[going] - 1) >> 1
        for level in range(len(self._latest) - 1, 0, -1):
            going = np.flatnonzero(height >= level)
            below, right = self._latest[level - 1], 2 * block[going] + 1
            inside = right < below.size
            inside[inside] = below[right[inside]] > addresses[going[inside]]
            block[going] = np.where(inside, right, right - 1)
        return np.where(height == NONE, NONE, block)
