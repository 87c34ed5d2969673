# SPDX-License-Identifier: MIT OR GPL-2.0
"""Counting of pairs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.commands import pair_counts
from pfmparse.commands.pair_counts import PairCounts

PAIRS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 2, 1 << 40, (1 << 64) - 1])),
    max_size=20,
)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    st.lists(PAIRS, max_size=5),
    st.integers(1, 30),
    st.integers(1, 30),
    st.sampled_from([1, 2, 4, 1 << 14]),
)
def test_counts_are_those_of_all_batches(
    batches: list[list[tuple[int, int]]], pending: int, chunk: int, slots: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_counts, "PENDING", pending)
        patch.setattr(pair_counts, "CHUNK", chunk)
        patch.setattr(pair_counts, "SLOTS", slots)
        pairs = PairCounts()
        for batch in batches:
            columns = np.array(batch, np.uint64).reshape(-1, 2)
            pairs.add(columns[:, 0], columns[:, 1])
        a, b, number = (column.tolist() for column in pairs.result())
    expected = Counter(pair for batch in batches for pair in batch)
    assert dict(zip(zip(a, b), number)) == expected
    assert len(a) == len(expected)


WEIGHTED = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 1 << 40)),
    max_size=20,
)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(WEIGHTED, max_size=5), PAIRS, st.integers(1, 30))
def test_weights_are_counts_of_their_own(
    batches: list[list[tuple[int, int, int]]],
    plain: list[tuple[int, int]],
    pending: int,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_counts, "PENDING", pending)
        pairs, expected = PairCounts(), Counter[tuple[int, int]](plain)
        columns = np.array(plain, np.uint64).reshape(-1, 2)
        pairs.add(columns[:, 0], columns[:, 1])
        for batch in batches:
            rows = np.array(batch, np.uint64).reshape(-1, 3)
            pairs.add(rows[:, 0], rows[:, 1], rows[:, 2])
            for a, b, weight in batch:
                expected[a, b] += weight
        found = [column.tolist() for column in pairs.result()]
    assert dict(zip(zip(found[0], found[1]), found[2])) == dict(+expected)
    assert len(found[0]) == len(+expected)
