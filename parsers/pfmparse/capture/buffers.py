# SPDX-License-Identifier: MIT OR GPL-2.0
"""Buffers of one context that are processed together, so that small ones are fast."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Container, Iterable, Iterator, Optional

import numpy as np

from ..arrays import NDArray
from ..layout import view
from .buffer import BUFFER_HEADER, Buffer

Offsets = NDArray[np.intp]


@dataclass(frozen=True)
class Buffers:
    """Some copies of one context's buffers, at one epoch of the mappings.

    Copy i is at byte ``begins[i]`` of ``data`` and has ``sizes[i]`` bytes; the arrays
    have shape (n,). ``offset`` is where ``data`` starts in the file; the other fields
    are as in Buffer.
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
        """A run of this buffer only."""
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
        """The copies from number ``start`` up to but excluding ``end``."""
        return replace(self, begins=self.begins[start:end], sizes=self.sizes[start:end])

    def first(self) -> memoryview:
        """The bytes of the first copy."""
        begin = int(self.begins[0])
        return self.data[begin : begin + int(self.sizes[0])]

    def within(self, which: Offsets, starts: Offsets, sizes: Offsets) -> Buffers:
        """Parts of some copies, given by their starts and sizes in bytes."""
        return replace(self, begins=self.begins[which] + starts, sizes=sizes)

    def heads(self, dtype: np.dtype[np.void]) -> NDArray[np.void]:
        """The structure at the start of each copy, which must fit; shape (n,)."""
        spacing = self.spacing()
        if spacing:
            return view(self.data, dtype, len(self), int(self.begins[0]), spacing)
        raw = np.frombuffer(self.data, np.uint8)
        rows = raw[self.begins[:, np.newaxis] + np.arange(dtype.itemsize)]
        return rows.view(dtype)[:, 0]

    def spacing(self) -> int:
        """The distance between the starts of copies in bytes, 0 if it varies."""
        if len(self) == 1:
            return int(self.sizes[0])
        gaps = self.begins[1:] - self.begins[:-1]
        return int(gaps[0]) if (gaps == gaps[0]).all() else 0


def plain_buffers(chunks: Buffers, contexts: Container[int]) -> Optional[list[Buffers]]:
    """The copies in some BUFR chunks, if they are stored as they were in memory.

    ``chunks`` locates the payloads; its context is ignored. None if a copy has no
    header, is stored in pieces, or has a context that is not in ``contexts``.
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


ENOUGH = 1 << 20  # bytes of a context's buffers that are passed on together
MOST = 32 << 20  # bytes of buffers of all contexts that are held back, at most


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
