# SPDX-License-Identifier: MIT OR GPL-2.0
"""Restores the image of a buffer that was saved in pieces (docs/capture.md)."""

from __future__ import annotations

from ..errors import PfmParseError
from ..layout import struct_dtype, table

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
        raise PfmParseError(f"{len(saved) - at} bytes belong to no piece", at)
    return memoryview(image)
