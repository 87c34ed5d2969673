# SPDX-License-Identifier: MIT OR GPL-2.0
"""The copy of a sampling buffer, whole or in pieces: a BUFR chunk (docs/capture.md)."""

from __future__ import annotations

import struct
from typing import Container, NamedTuple

from ..errors import PfmParseError
from ..layout import struct_dtype, table
from .chunks import Chunk

MAX_PIECES = 4096
MAX_IMAGE = 256 << 20  # bytes

PIECE = struct_dtype(
    16,
    [
        ("offset", "<u8", 0),  # bytes from the start of the buffer
        ("size", "<u8", 8),  # bytes
    ],
)


def assemble(saved: memoryview, pieces: int, size: int, whole: bool) -> memoryview:
    """The image of ``size`` bytes; bytes outside all pieces are zero.

    ``saved`` holds the table of pieces and the pieces. If it is not ``whole``, the
    image ends at the first missing byte. PfmParseError with an offset in ``saved`` if
    the table or the pieces are invalid.
    """
    if pieces > MAX_PIECES:
        raise PfmParseError(f"{pieces} pieces exceed the limit, {MAX_PIECES}", 0)
    if size > MAX_IMAGE:
        text = f"an image of {size} bytes exceeds the limit, {MAX_IMAGE}"
        raise PfmParseError(text, 0)
    entries = table(saved, PIECE, pieces, 0, "the table of pieces")
    image, end, at = bytearray(size), 0, pieces * PIECE.itemsize
    for number, entry in enumerate(entries):
        start, length = entry["offset"], entry["size"]
        if not end <= start <= start + length <= size:
            text = (
                f"piece {number} of {length} bytes at {start} is not between the end "
                f"of the previous piece, {end}, and the end of the buffer, {size}"
            )
            raise PfmParseError(text, number * PIECE.itemsize)
        there = saved[at : at + length]
        image[start : start + len(there)] = there
        if len(there) < length:
            if whole:
                text = f"piece {number} ends here, {length - len(there)} bytes early"
                raise PfmParseError(text, len(saved))
            return memoryview(image)[: start + len(there)]
        end, at = start + length, at + length
    if at != len(saved):
        raise PfmParseError(f"{len(saved) - at} bytes follow the last piece", at)
    return memoryview(image)


BUFFER_HEADER = struct_dtype(
    24,
    [
        ("context", "<u4", 0),
        ("pieces", "<u4", 4),  # 0: not in pieces, the bytes from the start on
        ("time_ns", "<u8", 8),  # ns, CLOCK_MONOTONIC
        ("buf_size", "<u8", 16),  # bytes
    ],
)
assert BUFFER_HEADER.itemsize == 24
_HEADER = struct.Struct("<IIQQ")  # faster than numpy for one header at a time
assert _HEADER.size == BUFFER_HEADER.itemsize


class Buffer(NamedTuple):
    """A copy of a sampling buffer.

    ``epoch`` is the epoch of the mappings at the time of the copy. ``offset`` is
    where ``data`` starts in the file. If the file stores the data in another form,
    ``stored`` names the form (compressed or in pieces), and ``offset`` is its start.
    ``whole`` is False if the end of the file may have cut off part of the copy.
    ``unread`` is the number of previous buffers that could not be read.
    """

    data: memoryview
    context: int
    epoch: int
    offset: int
    stored: str
    whole: bool
    unread: int = 0


def read_buffer(chunk: Chunk, contexts: Container[int], epoch: int) -> Buffer:
    """The copy in a BUFR chunk.

    Raises PfmParseError if its context is not in ``contexts``.
    """
    head = BUFFER_HEADER.itemsize
    if len(chunk.payload) < head:
        text = f"BUFR of {len(chunk.payload)} bytes is too short"
        raise PfmParseError(text, chunk.offset, truncated=not chunk.whole)
    context, pieces, _, size = _HEADER.unpack_from(chunk.payload)
    if context not in contexts:
        text = f"BUFR of context {context}, which is not in the session"
        raise PfmParseError(text, chunk.offset)
    data = memoryview(chunk.payload)[head:]
    offset = chunk.offset + (0 if chunk.compressed else head)
    stored = "decompressed" if chunk.compressed else ""
    if pieces:
        try:
            data = assemble(data, pieces, size, chunk.whole)
        except PfmParseError as problem:
            raise problem.within(offset, stored, chunk.whole) from None
        stored = "assembled"
    return Buffer(data, context, epoch, offset, stored, chunk.whole)
