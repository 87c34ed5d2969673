# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare lookups in nested intervals with a linear search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pfmparse.symbols.intervals import NONE, Intervals

Interval = tuple[int, int, int]


def innermost(intervals: list[Interval], addresses: list[int]) -> list[int]:
    """Return what Intervals finds for each address."""
    columns = list(zip(*intervals)) or [(), (), ()]
    starts, ends = (np.array(column, np.uint64) for column in columns[:2])
    made = Intervals(starts, ends, np.array(columns[2], np.intp))
    found: list[int] = made.innermost(np.array(addresses, np.uint64)).tolist()
    return found


def looked_at(intervals: list[Interval], address: int) -> int:
    """Search all intervals for an address; return the innermost one, or NONE."""
    around = [
        (start, rank, at)
        for at, (start, end, rank) in enumerate(intervals)
        if start <= address < end
    ]
    return max(around)[2] if around else NONE


bounds = st.tuples(st.integers(0, 40), st.integers(0, 40))


@given(st.lists(bounds, max_size=40))
def test_the_innermost_interval_is_found(pairs: list[tuple[int, int]]) -> None:
    intervals = [(a, b, rank) for rank, (a, b) in enumerate(pairs)]
    addresses = list(range(45))
    assert innermost(intervals, addresses) == [
        looked_at(intervals, address) for address in addresses
    ]


def test_interval_of_higher_rank_is_inner() -> None:
    assert innermost([(0, 9, 1), (0, 9, 2), (0, 9, 0)], [3]) == [1]


@pytest.mark.parametrize("count", [1, 2, 3, 64, 1000])
def test_gaps_between_intervals_belong_to_outer_one(count: int) -> None:
    whole = (0, 10 * count + 10, 0)
    small = [(10 * at, 10 * at + 5, 1) for at in range(count)]
    addresses = [10 * at + 7 for at in range(count)]
    assert innermost([whole, *small], addresses) == [0] * count
    assert innermost(small, addresses) == [NONE] * count


def test_intervals_reach_the_end_of_the_address_space() -> None:
    last = (1 << 64) - 1
    assert innermost([(last - 1, last, 0)], [last - 2, last - 1, last]) == [-1, 0, -1]
    assert innermost([], [0, last]) == [NONE, NONE]
