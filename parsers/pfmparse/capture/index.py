# SPDX-License-Identifier: MIT OR GPL-2.0
"""Where in a capture the copies of buffers are."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Iterator

import numpy as np

from ..arrays import NDArray
from .chunks import CHUNK_HEADER, ChunkHeader

GROUP = 4 << 20  # bytes of buffers that are read together
GAP = 1 << 12  # bytes that may be between two of them, and are read, too


@dataclass(frozen=True)
class Group:
    """Headers of some buffers of one epoch, next to each other; all of shape (n,)."""

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
        """The offset behind the last payload."""
        return int(self.offsets[-1]) + int(self.lengths[-1])

    @property
    def begins(self) -> NDArray[np.intp]:
        """Where each payload begins, from the first one on."""
        begins: NDArray[np.intp] = (self.offsets - self.offsets[0]).astype(np.intp)
        return begins

    def headers(self) -> list[ChunkHeader]:
        """Each header."""
        lengths, offsets = self.lengths.tolist(), self.offsets.tolist()
        rows = zip(self.flags.tolist(), lengths, self.crcs.tolist(), offsets)
        return [ChunkHeader("BUFR", *row) for row in rows]


class Index:
    """Headers of buffers, and the mappings' epochs: numbers, for there can be many."""

    def __init__(self) -> None:
        self._offsets, self._lengths = array("Q"), array("Q")
        self._flags, self._crcs, self._epochs = array("I"), array("I"), array("I")

    def append(self, header: ChunkHeader, epoch: int) -> None:
        """Adds the next one."""
        self._offsets.append(header.offset)
        self._lengths.append(header.length)
        self._flags.append(header.flags)
        self._crcs.append(header.payload_crc)
        self._epochs.append(epoch)

    def total(self) -> int:
        """The bytes of all buffers, if the file is as long as their headers say."""
        return sum(self._lengths)

    def groups(self) -> Iterator[range]:
        """Buffers of one epoch that are worth being read together, in their order."""
        first = start = end = epoch = 0
        rows = zip(self._offsets, self._lengths, self._epochs)
        for at, (offset, length, now) in enumerate(rows):
            far = offset - end > GAP + CHUNK_HEADER.itemsize
            if at > first and (far or now != epoch or offset + length - start > GROUP):
                yield range(first, at)
                first = at
            if at == first:
                start, epoch = offset, now
            end = offset + length
        if first < len(self._offsets):
            yield range(first, len(self._offsets))

    def group(self, which: range) -> Group:
        """The headers of a group."""
        part = slice(which.start, which.stop)
        return Group(
            np.array(self._offsets[part]),
            np.array(self._lengths[part]),
            np.array(self._flags[part]),
            np.array(self._crcs[part]),
            self._epochs[which.start],
        )
