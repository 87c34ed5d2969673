# SPDX-License-Identifier: MIT OR GPL-2.0
"""A minimal writer of protocol buffer messages."""

from __future__ import annotations

from functools import lru_cache
from typing import Iterable

VARINT, FIXED64, BYTES = 0, 1, 2  # types of fields on the wire
MASK = (1 << 64) - 1
REMEMBERED = 1 << 17  # cached numbers; those of fields, functions and locations repeat


@lru_cache(REMEMBERED)
def varint(number: int) -> bytes:
    """Encodes a 64-bit number with 7 bits per byte; two's complement if negative."""
    number &= MASK
    if number < 0x80:
        return bytes((number,))
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def integer(field: int, number: int) -> bytes:
    """Returns a field with a number; b"" for 0, which is the default."""
    return varint(field << 3 | VARINT) + varint(number) if number else b""


def fixed64(field: int, number: int) -> bytes:
    """Returns a field with a number of 8 bytes."""
    return varint(field << 3 | FIXED64) + number.to_bytes(8, "little")


def integers(field: int, numbers: Iterable[int]) -> bytes:
    """Returns a packed repeated field with numbers."""
    packed = b"".join(map(varint, numbers))
    return message(field, packed) if packed else b""


def message(field: int, body: bytes) -> bytes:
    """Returns a field with a message or a string."""
    return varint(field << 3 | BYTES) + varint(len(body)) + body
