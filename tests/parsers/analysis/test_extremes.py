# SPDX-License-Identifier: MIT OR GPL-2.0
"""The least and the greatest number of each id."""

from __future__ import annotations

from typing import Optional

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pfmparse.analysis.extremes import Extremes

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, (1 << 64) - 1)))


@given(st.lists(PAIRS), st.integers(0, 8))
def test_extremes_are_exact(batches: list[list[tuple[int, int]]], count: int) -> None:
    least, greatest = Extremes(False), Extremes(True)
    for batch in batches:
        ids = np.array([at for at, _ in batch], np.intp)
        values = np.array([value for _, value in batch], np.uint64)
        least.add(ids, values)
        greatest.add(ids, values)
    low: list[Optional[int]] = []
    high: list[Optional[int]] = []
    for number in range(count):
        own = [value for batch in batches for at, value in batch if at == number]
        low.append(min(own, default=None))
        high.append(max(own, default=None))
    assert (least.result(count), greatest.result(count)) == (low, high)
