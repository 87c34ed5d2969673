# SPDX-License-Identifier: MIT OR GPL-2.0
"""A capture file with all of its chunks (docs/capture.md)."""

from __future__ import annotations

from collections import deque
from copy import copy
from dataclasses import replace
from functools import partial
from io import BufferedIOBase
from typing import Iterator, Mapping, Optional, Union

import numpy as np

from ..errors import PfmParseError, note
from .buffers import MOST, Buffer, Buffers, plain_buffers, read_buffer
from .chunks import (
    FILE_HEADER,
    MAX_PAYLOAD,
    Chunk,
    ChunkHeader,
    ChunkReader,
    crc32_of_each,
)
from .index import Group, Index
from .metadata import ADD, Metadata
from .session import Context, Session, parse_context, parse_session

ROOM = 8 << 20  # bytes of buffers to read in advance; they fit into the cache
KEPT = MOST  # bytes before a group that remain mapped for gather()

Found = Union[Buffers, PfmParseError]


class Capture(Metadata):
    """A capture file.

    The constructor reads all metadata, wherever they are in the file. ``problems`` are
    sorted by offset; the list is complete after the last buffer has been read.
    """

    session: Session
    session_text: bytes
    contexts: Mapping[int, Context]
    complete = True

    def __init__(self, stream: BufferedIOBase) -> None:
        """Reads everything except the buffers.

        Raises PfmParseError if the file has no session.
        """
        super().__init__()
        self.problems: list[PfmParseError] = []
        self._reader = ChunkReader(stream, self.problems)
        self._buffers = Index()
        self._later: list[tuple[Context, int]] = []
        for header in self._reader.headers():
            self._scan(header)
        if not hasattr(self, "session"):
            raise self._no_session(truncated=True)
        self._add_contexts()
        if self.totals is None and not any(p.truncated for p in self.problems):
            text = "the file ends without a readable DONE chunk"
            note(self.problems, PfmParseError(text, self._reader.offset, True))

    def buffers(self) -> Iterator[Buffer]:
        """Yields the copies of buffers in file order; can be iterated only once."""
        for some in self.groups(0):
            found = (buffer for buffers in some for buffer in buffers)
            yield from sorted(found, key=lambda buffer: buffer.offset)

    def groups(self, threads: int) -> Iterator[list[Buffers]]:
        """Yields the buffers in groups; ``threads`` threads read in advance."""
        groups = (self._buffers.group(which) for which in self._buffers.groups())
        if threads:
            from ..pipeline import in_threads  # only needed by large captures

            calls = (
                (each.end - each.start, partial(self._read, each)) for each in groups
            )
            results = in_threads(calls, threads, ROOM)
        else:
            results = map(self._read, groups)
        unread = 0
        for start, result in results:
            self._reader.drop(start - KEPT)
            some: list[Buffers] = []
            size = 0
            for found in result:
                if isinstance(found, PfmParseError):
                    note(self.problems, found)
                    unread += 1
                    continue
                some.append(replace(found, unread=unread) if unread else found)
                size += len(found.data)
                if size > ROOM:
                    yield some
                    some, size = [], 0
                del found
            yield some

    @property
    def bytes_of_buffers(self) -> int:
        """An upper limit for the total size of all buffers."""
        return self._buffers.total()

    def _read(self, group: Group) -> tuple[int, Iterator[Found]]:
        """Returns the offset of a group, and the group's buffers or errors."""
        return group.start, self._found(group)

    def _found(self, group: Group) -> Iterator[Found]:
        """Returns the buffers of a group, with errors instead of unreadable buffers."""
        stored = None
        if (group.flags == 0).all() and (group.lengths <= MAX_PAYLOAD["BUFR"]).all():
            stored = self._reader.stored(group.start, group.end)
            plain = self._plain(group, stored)
            if plain is not None:
                return iter(plain)
        # A buffer that is compressed or in pieces can be much larger than its stored
        # form. Buffers that do not fit into ROOM are read only when the consumer needs
        # them.
        made, size, waiting = deque[Found](), 0, deque(group.headers())
        while waiting and size <= ROOM:
            made.append(self._one(group, waiting.popleft(), stored))
            size += made[-1].data.nbytes if isinstance(made[-1], Buffers) else 0
        return self._each(made, group, waiting, stored)

    def _each(
        self,
        made: deque[Found],
        group: Group,
        waiting: deque[ChunkHeader],
        stored: Optional[memoryview],
    ) -> Iterator[Found]:
        """Yields the buffers ``made``, then reads and yields those in ``waiting``."""
        while made:
            yield made.popleft()
        while waiting:
            yield self._one(group, waiting.popleft(), stored)

    def _one(
        self, group: Group, header: ChunkHeader, stored: Optional[memoryview]
    ) -> Found:
        """Reads one buffer of a group, whose bytes may already be in ``stored``."""
        begin = header.offset - group.start
        part = None if stored is None else stored[begin : begin + header.length]
        try:
            chunk = self._reader.chunk(header, part)
            return Buffers.of(read_buffer(chunk, self.contexts, group.epoch))
        except PfmParseError as problem:
            return problem

    def _plain(self, group: Group, stored: memoryview) -> Optional[list[Buffers]]:
        """Returns a group's buffers; None unless all are plain and undamaged."""
        if len(stored) < group.end - group.start:
            return None
        sizes = group.lengths.astype(np.intp)
        chunks = Buffers(stored, group.begins, sizes, 0, group.epoch, group.start)
        runs = plain_buffers(chunks, self.contexts)
        if runs is None:
            return None
        crcs = crc32_of_each(stored, chunks.begins.tolist(), sizes.tolist())
        return runs if crcs == group.crcs.tolist() else None

    def again(self) -> Capture:
        """Returns a copy of this capture, so that its buffers can be iterated again."""
        same = copy(self)
        same.problems = list(self.problems)
        return same

    def _scan(self, header: ChunkHeader) -> None:
        """Reads a chunk of metadata, or adds a buffer to the index.

        Raises PfmParseError if the first chunk is not SESS.
        """
        if header.type == "BUFR":
            if not hasattr(self, "session"):
                raise self._no_session()
            self._buffers.append(header, self.maps.epoch)
        elif header.type in ("SESS", "CTXT") or header.type in ADD:
            chunk = self._payload(header)
            if chunk is not None:
                self._note(chunk)

    def _add_contexts(self) -> None:
        """Adds the contexts of CTXT chunks to the session."""
        contexts = self.session.contexts_by_id()
        for context, offset in self._later:
            if context.id in contexts:
                text = f"CTXT: duplicate context {context.id}"
                note(self.problems, PfmParseError(text, offset))
            else:
                contexts[context.id] = context
        self.session = replace(self.session, contexts=tuple(contexts.values()))
        self.contexts = contexts

    def _payload(self, header: ChunkHeader) -> Optional[Chunk]:
        try:
            return self._reader.payload(header)
        except PfmParseError as problem:
            note(self.problems, problem)
            return None

    def _note(self, chunk: Chunk) -> None:
        """Stores a chunk of metadata."""
        text = bytes(chunk.payload)
        if not hasattr(self, "session"):
            if chunk.type != "SESS":
                raise self._no_session()
            self.session = parse_session(text, chunk.offset)
            self.session_text = text
            return
        try:
            if chunk.type == "SESS":
                raise PfmParseError("a second SESS chunk", chunk.offset)
            if chunk.type == "CTXT":
                context = parse_context(text, chunk.offset)
                self._later.append((context, chunk.offset))
            else:
                self.add(chunk.type, text, chunk.offset)
        except PfmParseError as problem:
            note(self.problems, problem)

    def _no_session(self, truncated: bool = False) -> PfmParseError:
        """Returns the first problem or, without one, an error for a missing session."""
        if self.problems:
            return self.problems[0]
        text = "the session is not the first chunk"
        return PfmParseError(text, FILE_HEADER.itemsize, truncated)
