# SPDX-License-Identifier: MIT OR GPL-2.0
"""Exact sums of large integers with double-precision arithmetic."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from ..layout import NDArray

Floats = NDArray[np.float64]
WORD = 1 << 32


class Words(NamedTuple):
    """Integers, each stored as its quotient by 2^32, and the remainder.

    Sums of either part are exact up to 2^53. Therefore sums of up to two million 64-bit
    integers are exact, and so are all sums up to 2^53.
    """

    high: Floats
    low: Floats

    @classmethod
    def of(cls, high: NDArray[Any], low: NDArray[Any]) -> Words:
        """Makes words from two arrays of integers."""
        return cls(high.astype(np.float64), low.astype(np.float64))

    def map(self, sums: Callable[[Floats], Floats]) -> Words:
        """Applies a linear function, such as a sum, to both parts."""
        low = sums(self.low)
        high = sums(self.high) if self.high.any() else np.zeros_like(low)
        return Words(high, low)

    def by(self, numbers: NDArray[np.intp], size: int) -> Words:
        """Returns the sums by index, for indices below ``size``."""
        return self.map(
            lambda part: np.bincount(numbers, part, size).astype(np.float64)
        )

    def some(self, which: NDArray[Any]) -> Words:
        """Returns some of the integers, by index or mask."""
        return Words(self.high[which], self.low[which])

    def values(self) -> Floats:
        """Returns the integers, rounded to double precision."""
        values: Floats = self.high * WORD + self.low
        return values

    def integers(self) -> list[int]:
        """Returns the integers."""
        pairs = zip(self.high.tolist(), self.low.tolist())
        return [int(high) * WORD + int(low) for high, low in pairs]

    def total(self) -> int:
        """Returns the sum of the integers."""
        return int(self.high.sum()) * WORD + int(self.low.sum())
