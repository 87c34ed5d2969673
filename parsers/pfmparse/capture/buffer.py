# SPDX-License-Identifier: MIT OR GPL-2.0
"""The copy of a sampling buffer: a BUFR chunk."""

from __future__ import annotations

import struct
from typing import Container, NamedTuple

from ..errors import PfmParseError
from ..layout import struct_dtype
from .chunks import Chunk
from .image import assemble

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
    """The copy in a BUFR chunk; PfmParseError if its context is not in ``contexts``."""
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
