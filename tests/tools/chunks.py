# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read pfmon's captures according to docs/capture.md, without pfmparse."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple


class Chunk(NamedTuple):
    """A chunk of the file."""

    kind: bytes
    flags: int
    payload: bytes
    padding: bytes


def chunks_of(data: bytes) -> Iterator[Chunk]:
    """Yield the chunks after the file header; check every checksum."""
    at = 16
    while at < len(data):
        kind, flags, length, payload_crc, header_crc = struct.unpack_from(
            "<4sIQII", data, at
        )
        assert zlib.crc32(data[at : at + 20]) == header_crc
        payload = data[at + 24 : at + 24 + length]
        assert len(payload) == length
        assert zlib.crc32(payload) == payload_crc
        end = at + 24 + -(-length // 8) * 8
        yield Chunk(kind, flags, payload, data[at + 24 + length : end])
        at = end
    assert at == len(data)


class Buffer(NamedTuple):
    """A BUFR chunk: the pieces of a buffer that were saved, by offset."""

    context: int
    size: int
    pieces: dict[int, bytes]


def buffer_of(payload: bytes) -> Buffer:
    """Parse a BUFR chunk's payload; check that its pieces are in order."""
    context, count, _, size = struct.unpack_from("<IIQQ", payload)
    at = 24 + 16 * count
    if not count:
        return Buffer(context, size, {0: payload[at:]})
    pieces = {}
    end = 0
    for offset, length in struct.iter_unpack("<QQ", payload[24:at]):
        assert end <= offset and offset + length <= size
        end = offset + length
        pieces[offset] = payload[at : at + length]
        at += length
    assert at == len(payload)
    return Buffer(context, size, pieces)


def buffers_of(data: bytes) -> list[Buffer]:
    """Return the buffers of a capture, in the order of the file."""
    return [
        buffer_of(chunk.payload) for chunk in chunks_of(data) if chunk.kind == b"BUFR"
    ]
