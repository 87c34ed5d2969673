# SPDX-License-Identifier: MIT OR GPL-2.0
"""Structures as numpy dtypes."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from pfmparse.errors import PfmParseError
from pfmparse.layout import (
    Field,
    bad_field,
    describe,
    field_names,
    integers,
    struct_dtype,
    table,
    view,
)

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
