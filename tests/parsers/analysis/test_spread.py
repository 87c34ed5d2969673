# SPDX-License-Identifier: MIT OR GPL-2.0
"""Distribution of the values of each group."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pfmparse.analysis.spread import Bucket, Spread, percentile

U64 = st.one_of(st.integers(0, 300), st.integers(0, (1 << 64) - 1))


@given(st.lists(st.tuples(st.integers(0, 2), U64)), st.integers(1, 100))
def test_percentiles_are_within_two_percent(
    numbers: list[tuple[int, int]], percent: int
) -> None:
    spread = Spread()
    ids = np.array([group for group, _ in numbers], np.intp)
    values = np.array([value for _, value in numbers], np.uint64)
    spread.add(ids, values, times=np.ones(values.size, np.uint32))
    for group, buckets in enumerate(spread.buckets(3)):
        own = sorted(value for of, value in numbers if of == group)
        assert sum(bucket.count for bucket in buckets) == len(own)
        for bucket in buckets:
            inside = [value for value in own if bucket.low <= value <= bucket.high]
            assert len(inside) == bucket.count
            assert bucket.high - bucket.low <= bucket.low // 64
        if own:
            exact = own[math.ceil(percent * len(own) / 100) - 1]
            assert exact <= percentile(buckets, percent) <= exact + exact // 64
        else:
            assert percentile(buckets, percent) == 0


def test_spread_counts_values_several_times() -> None:
    spread = Spread()
    values = np.array([5, 9], np.uint64)
    spread.add(np.zeros(2, np.intp), values, np.array([3, 0], np.uint64))
    spread.add(np.zeros(2, np.intp), values)
    assert spread.buckets(1) == [[Bucket(5, 5, 4), Bucket(9, 9, 1)]]
