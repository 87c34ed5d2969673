# SPDX-License-Identifier: MIT OR GPL-2.0
"""Copies of sampling buffers: BUFR chunks (docs/capture.md)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Container, Iterable, Iterator, NamedTuple, Optional

import numpy as np

from ..errors import PfmParseError
from ..layout import NDArray, struct_dtype, table, view
from ..text import amount
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
    """Returns the image of a buffer of which only some pieces were saved.

    ``saved`` contains the table of pieces and the pieces. The image has ``size`` bytes;
    bytes outside all pieces are zero. If ``saved`` is not ``whole``, the image ends at
    the first missing byte. Raises PfmParseError, with an offset in ``saved``, if the
    table or the pieces are invalid.
    """
    if pieces > MAX_PIECES:
        raise PfmParseError(f"{pieces} pieces exceed the limit of {MAX_PIECES}", 0)
    if size > MAX_IMAGE:
        text = f"an image of {size} bytes exceeds the limit of {MAX_IMAGE}"
        raise PfmParseError(text, 0)
    entries = table(saved, PIECE, pieces, 0, "the table of pieces")
    image, end, at = bytearray(size), 0, pieces * PIECE.itemsize
    for number, entry in enumerate(entries):
        start, length = entry["offset"], entry["size"]
        if not end <= start <= start + length <= size:
            size_of_piece = amount(length, "bytes")
            text = (
                f"piece {number}, of {size_of_piece} at offset {start}, is not between "
                f"the end of the previous piece ({end}) and that of the buffer ({size})"
            )
            raise PfmParseError(text, number * PIECE.itemsize)
        there = saved[at : at + length]
        image[start : start + len(there)] = there
        if len(there) < length:
            if whole:
                early = amount(length - len(there), "bytes")
                text = f"piece {number} ends {early} too early"
                raise PfmParseError(text, len(saved))
            return memoryview(image)[: start + len(there)]
        end, at = start + length, at + length
    if at != len(saved):
        raise PfmParseError(
            f"unexpected {amount(len(saved) - at, 'bytes')} after the last piece", at
        )
    return memoryview(image)


BUFFER_HEADER = struct_dtype(
    24,
    [
        ("context", "<u4", 0),
        ("pieces", "<u4", 4),  # 0: undivided, from the start of the buffer on
        ("time_ns", "<u8", 8),  # ns, CLOCK_MONOTONIC
        ("buf_size", "<u8", 16),  # bytes
    ],
)
assert BUFFER_HEADER.itemsize == 24
_HEADER = struct.Struct("<IIQQ")  # faster than numpy for a single header
assert _HEADER.size == BUFFER_HEADER.itemsize


class Buffer(NamedTuple):
    """A copy of a sampling buffer.

    ``epoch`` is the epoch of the mappings at the time of the copy. ``offset`` is where
    ``data`` starts in the file. If the file stores the data in another form, compressed
    or in pieces, ``stored`` names this form, and ``offset`` is where the stored data
    start. ``whole`` is False if the end of the file may have cut off part of the copy.
    ``unread`` is the number of earlier buffers that could not be read.
    """

    data: memoryview
    context: int
    epoch: int
    offset: int
    stored: str
    whole: bool
    unread: int = 0


def read_buffer(chunk: Chunk, contexts: Container[int], epoch: int) -> Buffer:
    """Returns the copy in a BUFR chunk.

    Raises PfmParseError if the chunk's context is not in ``contexts``.
    """
    head = BUFFER_HEADER.itemsize
    if len(chunk.payload) < head:
        size_of_chunk = amount(len(chunk.payload), "bytes")
        text = f"a BUFR chunk of {size_of_chunk} is too short for its header"
        raise PfmParseError(text, chunk.offset, truncated=not chunk.whole)
    context, pieces, _, size = _HEADER.unpack_from(chunk.payload)
    if context not in contexts:
        text = f"a BUFR chunk of context {context}, which is not in the session"
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


Offsets = NDArray[np.intp]


@dataclass(frozen=True)
class Buffers:
    """Copies of one context's buffers, all made at the same epoch of the mappings.

    Copy i is at byte ``begins[i]`` of ``data`` and has ``sizes[i]`` bytes; the arrays
    have shape (n,). ``offset`` is where ``data`` starts in the file. The other fields
    are the same as in Buffer.
    """

    data: memoryview
    begins: Offsets
    sizes: Offsets
    context: int
    epoch: int
    offset: int
    stored: str = ""
    whole: bool = True
    unread: int = 0

    @classmethod
    def of(cls, buffer: Buffer) -> Buffers:
        """Returns the copies of one buffer: only ``buffer``."""
        return cls(
            buffer.data,
            np.zeros(1, np.intp),
            np.array([len(buffer.data)], np.intp),
            *buffer[1:],
        )

    def __len__(self) -> int:
        return self.begins.size

    def __iter__(self) -> Iterator[Buffer]:
        for begin, size in zip(self.begins.tolist(), self.sizes.tolist()):
            yield Buffer(
                self.data[begin : begin + size],
                self.context,
                self.epoch,
                self.offset + begin,
                self.stored,
                self.whole,
                self.unread,
            )

    def part(self, start: int, end: int) -> Buffers:
        """Returns the copies from index ``start`` up to but excluding ``end``."""
        return replace(self, begins=self.begins[start:end], sizes=self.sizes[start:end])

    def first(self) -> memoryview:
        """Returns the bytes of the first copy."""
        begin = int(self.begins[0])
        return self.data[begin : begin + int(self.sizes[0])]

    def within(self, which: Offsets, starts: Offsets, sizes: Offsets) -> Buffers:
        """Returns a part of each of the copies ``which``.

        ``starts`` and ``sizes`` are in bytes; each start is relative to its copy.
        """
        return replace(self, begins=self.begins[which] + starts, sizes=sizes)

    def heads(self, dtype: np.dtype[np.void]) -> NDArray[np.void]:
        """Returns the structure at the start of each copy; shape (n,).

        No copy may be smaller than the structure.
        """
        spacing = self.spacing()
        if spacing:
            return view(self.data, dtype, len(self), int(self.begins[0]), spacing)
        raw = np.frombuffer(self.data, np.uint8)
        rows = raw[self.begins[:, np.newaxis] + np.arange(dtype.itemsize)]
        return rows.view(dtype)[:, 0]

    def spacing(self) -> int:
        """Returns the distance in bytes between the copies' starts; 0 if it varies."""
        if len(self) == 1:
            return int(self.sizes[0])
        gaps = self.begins[1:] - self.begins[:-1]
        return int(gaps[0]) if (gaps == gaps[0]).all() else 0


def plain_buffers(chunks: Buffers, contexts: Container[int]) -> Optional[list[Buffers]]:
    """Returns the copies in uncompressed BUFR chunks, by context.

    Returns None if a copy is in pieces, or a chunk is invalid.
    """
    size = BUFFER_HEADER.itemsize
    if (chunks.sizes < size).any():
        return None
    heads = chunks.heads(BUFFER_HEADER)
    found = list(dict.fromkeys(heads["context"].tolist()))
    if heads["pieces"].any() or not all(context in contexts for context in found):
        return None
    begins, sizes = chunks.begins + size, chunks.sizes - size
    copies = replace(chunks, begins=begins, sizes=sizes)
    if len(found) == 1:
        return [replace(copies, context=found[0])]
    found_of = []
    for context in found:
        ours = heads["context"] == context
        found_of.append(
            replace(copies, begins=begins[ours], sizes=sizes[ours], context=context)
        )
    return found_of


ENOUGH = 1 << 20  # bytes of a context's buffers that are yielded together
MOST = 32 << 20  # maximum number of bytes that are held back, in all contexts together


def gather(groups: Iterable[Iterable[Buffers]]) -> Iterator[list[Buffers]]:
    """Yields the buffers in lists, each of one context and epoch.

    The buffers of a context stay in order. All buffers before an unreadable one come
    before all buffers after it.
    """
    waiting: dict[int, list[Buffers]] = {}
    sizes: dict[int, int] = {}
    since = (0, 0)
    for group in groups:
        for run in group:
            context, now = run.context, (run.epoch, run.unread)
            if now != since or sum(sizes.values()) > MOST:
                yield from waiting.values()
                waiting, sizes, since = {}, {}, now
            waiting.setdefault(context, []).append(run)
            sizes[context] = sizes.get(context, 0) + int(run.sizes.sum())
            if sizes[context] >= ENOUGH:
                yield waiting.pop(context)
                del sizes[context]
    yield from waiting.values()
