# SPDX-License-Identifier: MIT OR GPL-2.0
"""An index of the buffers in a capture."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Iterator

import numpy as np

from ..layout import NDArray, struct_dtype
from .chunks import CHUNK_HEADER, ChunkHeader

GROUP = 4 << 20  # bytes of buffers that are read together
GAP = 1 << 12  # maximum gap in bytes between two buffers of a group; it is read, too

ROW = struct_dtype(
    28,
    [
        ("offset", "<u8", 0),  # of the payload
        ("length", "<u8", 8),  # bytes, as stored
        ("flags", "<u4", 16),
        ("crc", "<u4", 20),
        ("epoch", "<u4", 24),
    ],
)
_ROW = struct.Struct("<QQIII")  # the same layout
assert _ROW.size == ROW.itemsize


@dataclass(frozen=True)
class Group:
    """Headers of consecutive buffers of the same epoch; arrays have shape (n,)."""

    offsets: NDArray[np.uint64]
    lengths: NDArray[np.uint64]
    flags: NDArray[np.uint32]
    crcs: NDArray[np.uint32]
    epoch: int

    @property
    def start(self) -> int:
        """The offset of the first payload."""
        return int(self.offsets[0])

    @property
    def end(self) -> int:
        """The offset of the end of the last payload."""
        return int(self.offsets[-1]) + int(self.lengths[-1])

    @property
    def begins(self) -> NDArray[np.intp]:
        """The start of each payload, relative to the first payload's start."""
        begins: NDArray[np.intp] = (self.offsets - self.offsets[0]).astype(np.intp)
        return begins

    def headers(self) -> list[ChunkHeader]:
        """Returns the chunk headers of the group."""
        lengths, offsets = self.lengths.tolist(), self.offsets.tolist()
        rows = zip(self.flags.tolist(), lengths, self.crcs.tolist(), offsets)
        return [ChunkHeader("BUFR", *row) for row in rows]


class Index:
    """An index with the headers and epochs of all buffers, packed to save memory."""

    def __init__(self) -> None:
        self._rows = bytearray()

    def append(self, header: ChunkHeader, epoch: int) -> None:
        """Adds the next buffer."""
        _, flags, length, crc, offset = header
        self._rows += _ROW.pack(offset, length, flags, crc, epoch)

    def total(self) -> int:
        """Returns the size of all buffers in bytes, according to their headers."""
        return sum(length for _, length, *_ in _ROW.iter_unpack(self._rows))

    def groups(self) -> Iterator[range]:
        """Yields ranges of consecutive buffers of the same epoch, to read together."""
        at = first = start = end = epoch = 0
        for at, (offset, length, _, _, now) in enumerate(_ROW.iter_unpack(self._rows)):
            far = offset - end > GAP + CHUNK_HEADER.itemsize
            if at > first and (far or now != epoch or offset + length - start > GROUP):
                yield range(first, at)
                first = at
            if at == first:
                start, epoch = offset, now
            end = offset + length
        if self._rows:
            yield range(first, at + 1)

    def group(self, which: range) -> Group:
        """Returns the headers of a group."""
        size = _ROW.size
        part = bytes(self._rows[which.start * size : which.stop * size])
        rows = np.frombuffer(part, ROW)
        return Group(
            rows["offset"],
            rows["length"],
            rows["flags"],
            rows["crc"],
            int(rows["epoch"][0]),
        )
