# SPDX-License-Identifier: MIT OR GPL-2.0
"""Writes messages of protocol buffers, as far as profiles need it."""

from __future__ import annotations

from functools import lru_cache
from typing import Iterable

VARINT, BYTES = 0, 2  # types of fields on the wire
MASK = (1 << 64) - 1
REMEMBERED = 1 << 17  # numbers: those of fields, functions and places come again


@lru_cache(REMEMBERED)
def varint(number: int) -> bytes:
    """A number of 64 bits, 7 in each byte; a negative one as its complement."""
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
    """A field with a number; nothing for 0, which is what a missing one means."""
    return varint(field << 3 | VARINT) + varint(number) if number else b""


def integers(field: int, numbers: Iterable[int]) -> bytes:
    """A repeated field with numbers, packed."""
    packed = b"".join(map(varint, numbers))
    return message(field, packed) if packed else b""


def message(field: int, body: bytes) -> bytes:
    """A field with a message, or with text."""
    return varint(field << 3 | BYTES) + varint(len(body)) + body
