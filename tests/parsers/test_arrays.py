# SPDX-License-Identifier: MIT OR GPL-2.0
"""The array type."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.arrays import NDArray, split


def test_ndarray_type_can_be_subscripted() -> None:
    for kind in (NDArray[Any], NDArray[np.uint64], NDArray[np.integer[Any]]):
        assert getattr(kind, "__origin__") is np.ndarray


KEYS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30)


def grouped(which: NDArray[np.intp], *keys: NDArray[np.intp]) -> list[list[int]]:
    """Return the groups, in the order of their first elements."""
    return sorted(group.tolist() for group in split(which, *keys))


def test_grouping_of_nothing_is_empty() -> None:
    none = np.zeros(0, np.intp)
    assert grouped(none, none) == []


def test_groups_have_elements_not_indices() -> None:
    assert grouped(np.array([10, 11, 12]), np.array([5, 6, 5])) == [[10, 12], [11]]


@settings(derandomize=True, deadline=None, max_examples=200)
@given(KEYS)
def test_elements_with_equal_keys_are_grouped(
    pairs: list[tuple[int, int]],
) -> None:
    expected: dict[tuple[int, int], list[int]] = {}
    for at, pair in enumerate(pairs):
        expected.setdefault(pair, []).append(at)
    columns = np.array(pairs, np.intp).reshape(-1, 2)
    found = grouped(np.arange(len(pairs)), columns[:, 0], columns[:, 1])
    assert found == sorted(expected.values())
