# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compute the distribution of each group's values."""

from __future__ import annotations

import math
from typing import Optional

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pfmparse.analysis.spread import Bucket, Extremes, Spread, percentile

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
