# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read protocol buffer messages without sharing code with the writer."""

from __future__ import annotations

from typing import Any, Iterator

Field = tuple[int, Any]


def fields(message: bytes) -> Iterator[Field]:
    """Yield the number and the value, an integer or bytes, of each field."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        if key & 7 == 1:
            yield key >> 3, int.from_bytes(message[at : at + 8], "little")
            at += 8
            continue
        value, at = _varint(message, at)
        if key & 7 == 2:
            yield key >> 3, message[at : at + value]
            at += value
        else:
            assert key & 7 == 0
            yield key >> 3, value
    assert at == len(message)


def numbers(packed: bytes) -> list[int]:
    """Return the integers in a packed field."""
    found, at = [], 0
    while at < len(packed):
        number, at = _varint(packed, at)
        found.append(number)
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while data[at] & 0x80:
        number |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return number | data[at] << shift, at + 1
