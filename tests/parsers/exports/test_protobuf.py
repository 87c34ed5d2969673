# SPDX-License-Identifier: MIT OR GPL-2.0
"""Encode protocol buffers."""

from __future__ import annotations

from helpers.wire_format import fields, numbers
from hypothesis import given
from hypothesis import strategies as st
from pfmparse.exports.protobuf import fixed64, integer, integers, message, varint

U64 = st.integers(0, (1 << 64) - 1)


def test_protobuf_encodes_the_documented_examples() -> None:
    assert varint(1) == b"\x01"
    assert varint(150) == b"\x96\x01"
    assert varint(-1) == b"\xff" * 9 + b"\x01"
    assert integer(1, 150) == b"\x08\x96\x01"
    assert message(2, b"testing") == b"\x12\x07testing"
    assert integers(6, [3, 270, 86942]) == b"\x32\x06\x03\x8e\x02\x9e\xa7\x05"


def test_protobuf_omits_zero_and_empty_fields() -> None:
    assert integer(1, 0) == integers(1, []) == b""
    assert integers(1, [0]) == b"\x0a\x01\x00"


@given(st.lists(U64), st.integers(1, 1000), st.binary())
def test_protobuf_fields_can_be_read_back(
    values: list[int], field: int, text: bytes
) -> None:
    packed = integers(field, values)
    assert [numbers(body) for _, body in fields(packed)] == ([values] if values else [])
    assert list(fields(message(field, text))) == [(field, text)]
    for value in values:
        assert list(fields(fixed64(field, value))) == [(field, value)]
        assert list(fields(integer(field, value))) == (
            [(field, value)] if value else []
        )
