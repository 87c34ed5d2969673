# SPDX-License-Identifier: MIT OR GPL-2.0
"""Ranges of addresses, of which later ones replaced earlier ones."""

from __future__ import annotations

from typing import Union

import numpy as np

from ..layout import NDArray

U64s = NDArray[np.uint64]
Ids = NDArray[np.intp]

NONE = -1


class Overlaps:
    """Numbered ranges, start <= a < end; finds the last range around an address.

    The ranges' starts and ends divide the addresses into segments. A range consists of
    blocks of 2^k segments, at most two blocks for each k. So even if all ranges
    overlap, a look-up takes logarithmic time, and n ranges have O(n log n) blocks.
    """

    def __init__(self, starts: U64s, ends: U64s) -> None:
        """Both arrays have shape (n,); ranges must not be empty."""
        self._count = starts.size
        edges = np.concatenate((starts, ends))
        # Segment i ends at edge i; segment 0 is before all ranges.
        self.edges, segments = np.unique(edges, return_inverse=True)
        first, behind = segments.reshape(2, -1) + 1
        size = self.edges.size + 1
        begun, ended = (np.bincount(at, minlength=size) for at in (first, behind))
        self._covered = np.cumsum(begun - ended) > 0
        # For each k, the sorted products of a block's number and n, plus a range's
        # number. Numbers outside of all blocks precede and follow them.
        self._blocks: list[Ids] = []
        ranges = np.arange(self._count)
        while ranges.size:
            odd, odd_end = first % 2 == 1, behind % 2 == 1
            left = first[odd] * self._count + ranges[odd]
            right = (behind[odd_end] - 1) * self._count + ranges[odd_end]
            outside = [-self._count, np.iinfo(np.intp).max]
            self._blocks.append(np.sort(np.concatenate((left, right, outside))))
            first, behind = (first + 1) // 2, behind // 2
            going = first < behind
            ranges, first, behind = ranges[going], first[going], behind[going]

    def last(self, addresses: U64s, limits: Union[int, Ids]) -> Ids:
        """Returns the last range around each address whose number is below the limit.

        If all ranges around an address have higher numbers, returns the first one; if
        there is no range, NONE. ``limits`` are at most n.
        """
        found = np.full(addresses.size, NONE)
        if not self._count:
            return found
        # Usually, few addresses are near the ranges.
        near = (addresses >= self.edges[0]) & (addresses < self.edges[-1])
        inside = np.flatnonzero(near)
        segments = np.searchsorted(self.edges, addresses[inside], side="right")
        covered = self._covered[segments]
        inside, segments = inside[covered], segments[covered]
        limits = np.broadcast_to(limits, addresses.shape)[inside]
        last, first = np.full(inside.size, NONE), np.full(inside.size, self._count)
        for level, keys in enumerate(self._blocks):
            base = (segments >> level) * self._count
            behind = np.searchsorted(keys, base + limits)
            last = np.maximum(last, keys[behind - 1] - base)
            first = np.minimum(first, keys[np.searchsorted(keys, base)] - base)
        found[inside] = np.where(last == NONE, first, last)
        return found
