# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compute exact sums by group, where groups are numbered from 0 without gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pfmparse.analysis import sums
from pfmparse.analysis.sums import Sums

U64 = st.integers(0, (1 << 64) - 1)


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), U64), max_size=20), max_size=5))
def test_sums_are_exact_beyond_64_bits(batches: list[list[tuple[int, int]]]) -> None:
    found, expected = Sums(), [0] * 10
    for batch in batches:
        ids = np.array([at for at, _ in batch], np.intp)
        found.add(ids, np.array([value for _, value in batch], np.uint64))
        for at, value in batch:
            expected[at] += value
    assert found.result(10) == expected


def test_sums_of_large_batches_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "EXACT", 3)
    found, values = Sums(), [(1 << 63) + at for at in range(10)]
    found.add(np.zeros(10, np.intp), np.array(values, np.uint64))
    assert found.result(1) == [sum(values)]


def test_sums_count_one_without_values() -> None:
    found = Sums()
    found.add(np.array([2, 0, 2], np.intp))
    found.add(np.array([], np.intp))
    assert found.result(4) == [1, 0, 2, 0]


def test_sums_delay_small_batches() -> None:
    found = Sums()
    found.add(np.arange(1000))
    values = np.array([1 << 40, 2], np.uint64)
    for _ in range(3):
        found.add(np.array([7, 999]), values)
        found.add(np.array([7]))
    # Sums must copy its input, because the caller may reuse the array.
    values[:] = 5
    assert found.of(np.array([999, 7, 0])) == [7, 1 + 3 * (1 << 40) + 3, 1]
    assert found.totals(1000, 500)[:2] == [2, 2] and found.totals(1000, 1) == [
        1000 + 3 * (1 << 40) + 6 + 3
    ]


def test_sums_split_into_high_and_low_words() -> None:
    found = Sums()
    for value in ((1 << 32) - 1, 1, 5):
        found.add(np.array([1]), np.array([value], np.uint64))
    high, low = found.words(3)
    assert (high.tolist(), low.tolist()) == ([0, 1, 0], [0, 5, 0])


@given(
    st.lists(st.tuples(st.integers(0, 9), U64), max_size=20),
    st.lists(st.integers(0, 3), min_size=10, max_size=10),
)
def test_moved_sums_are_exact(added: list[tuple[int, int]], places: list[int]) -> None:
    found, expected = Sums(), [0] * 4
    for at, value in added:
        found.add(np.array([at]), np.array([value], np.uint64))
        expected[places[at]] += value
    moved = found.moved(np.arange(10), np.array(places))
    assert moved.result(4) == expected
