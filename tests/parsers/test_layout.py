# SPDX-License-Identifier: MIT OR GPL-2.0
"""Group equal elements, and build dtypes of C structures."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.errors import PfmParseError
from pfmparse.layout import (
    Field,
    NDArray,
    bad_field,
    describe,
    field_names,
    integers,
    split,
    struct_dtype,
    table,
    view,
)


def test_ndarray_type_can_be_subscripted() -> None:
    for kind in (NDArray[Any], NDArray[np.uint64], NDArray[np.integer[Any]]):
        assert getattr(kind, "__origin__") is np.ndarray


KEYS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30)


def grouped(which: NDArray[np.intp], *keys: NDArray[np.intp]) -> list[list[int]]:
    """Return the groups, sorted by their first elements."""
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


PAIR = struct_dtype(
    16,
    [
        ("small", "<u4", 0),
        ("pad", "<u2", 4),
        ("reserved1", "<u2", 6),
        ("big", "<i8", 8),
    ],
)


def packed(small: int, big: int) -> bytes:
    """Build the bytes of a PAIR."""
    return struct.pack("<IHHq", small, 7, 7, big)


@pytest.mark.parametrize(
    "size,fields",
    [
        (16, [("a", "<u4", 0), ("b", "<u8", 8)]),  # a gap
        (12, [("a", "<u8", 0), ("b", "<u4", 4)]),  # an overlap
        (16, [("a", "<u8", 0)]),  # too short
        (4, [("a", "<u8", 0)]),  # too long
        (4, [("a", "<u4", 4)]),  # does not start at the first byte
    ],
)
def test_fields_must_fill_the_structure(size: int, fields: list[Field]) -> None:
    with pytest.raises(AssertionError):
        struct_dtype(size, fields)


def test_layout_view_shares_bytes_and_may_overlap() -> None:
    data = np.arange(32, dtype=np.uint8)
    word = struct_dtype(8, [("value", "<u8", 0)])
    seen = view(data.data, word, 3, offset=4, stride=1)
    assert np.shares_memory(seen, data)
    assert seen["value"].tolist() == [
        int.from_bytes(bytes(range(at, at + 8)), "little") for at in (4, 5, 6)
    ]
    assert view(b"", word, 0, 0, 8).shape == (0,)


def test_reserved_fields_and_padding_are_hidden() -> None:
    assert field_names(PAIR) == ("small", "big")
    assert integers(packed(3, -4), PAIR, 0, "it") == {"small": 3, "big": -4}


def test_layout_table_reads_successive_structures() -> None:
    data = b"xx" + packed(1, 2) + packed(3, 4) + b"rest"
    assert table(data, PAIR, 2, 2, "them") == [
        {"small": 1, "big": 2},
        {"small": 3, "big": 4},
    ]
    assert table(data, PAIR, 0, 0, "them") == []


@pytest.mark.parametrize("size", [0, 15, 31])
def test_incomplete_layout_table_is_a_truncation(size: int) -> None:
    data = (packed(1, 2) * 2)[:size]
    with pytest.raises(PfmParseError, match="them ends here, before byte 32") as error:
        table(data, PAIR, 2, 0, "them")
    assert error.value.truncated and error.value.offset == size


def test_bad_field_error_has_its_offset() -> None:
    error = bad_field(PAIR, "big", "is wrong", 100)
    assert (error.message, error.offset) == ("big: is wrong", 108)
    assert bad_field(PAIR, "big", "is wrong").offset == 8


def test_argument_of_wrong_size_is_none() -> None:
    assert describe(packed(3, 4), PAIR) == {"small": 3, "big": 4}
    assert describe(packed(3, 4)[:-1], PAIR) is None
    assert describe(packed(3, 4) + b"\0", PAIR) is None
