# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read a capture while it is written (docs/capture.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator, Optional

from ..errors import PfmParseError, RequestError, note
from .buffers import Buffer, Buffers, read_buffer
from .chunks import (
    CHUNK_HEADER,
    FILE_HEADER,
    MAX_PAYLOAD,
    Chunk,
    ChunkHeader,
    check_file_header,
    chunk_of,
    parse_header,
)
from .metadata import MAX_MAPPINGS, Metadata
from .session import Context, Session, parse_context, parse_session
from .totals import Tick, parse_tick

KEPT_PROBLEMS = 100  # maximum number of problems to keep; a session may run for days


class LiveCapture(Metadata):
    """The part of a capture that has been read so far.

    ``session`` is set once ``begun`` is true. groups() yields the buffers that have
    arrived since its previous call.
    """

    session: Session
    session_text: bytes
    complete = False

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[PfmParseError] = []
        self.begun = False
        self.bytes_of_buffers = 0  # 0 means: do not read in threads
        self._came = bytearray()
        self._offset = 0  # of the first byte in _came
        self._skip = 0  # remaining bytes of a skipped chunk
        self._header: Optional[ChunkHeader] = None
        self._buffers: list[Buffers] = []
        self._tick: Optional[Tick] = None
        self.contexts: dict[int, Context] = {}
        self._unread = 0

    @property
    def came(self) -> int:
        """The number of bytes received so far."""
        return self._offset + len(self._came)

    @property
    def has_buffers(self) -> bool:
        """True if there is a buffer that groups() has not yet returned."""
        return bool(self._buffers)

    def ticks(self, data: bytes) -> Iterator[Tick]:
        """Reads the next bytes; yields each TICK before reading the next chunk.

        Raises PfmParseError if no more chunks can be read.
        """
        self._came += data
        if self._offset == 0:
            head = self._take(FILE_HEADER.itemsize)
            if head is None:
                return
            check_file_header(head)
        while self._read_chunk():
            if self._tick is not None:
                tick, self._tick = self._tick, None
                yield tick

    def groups(self, threads: int) -> Iterator[list[Buffers]]:
        """Yields the buffers that have arrived since the previous call."""
        some, self._buffers = self._buffers, []
        yield some

    def buffers(self) -> Iterator[Buffer]:
        """Yields the buffers that have arrived since the previous call, one by one."""
        for some in self.groups(0):
            for buffers in some:
                yield from buffers

    def again(self) -> LiveCapture:
        """Raises PfmParseError, because the data are not kept after reading."""
        raise RequestError("a live capture can be read only once")

    def _take(self, size: int) -> Optional[bytes]:
        """Takes the next ``size`` bytes; returns None if some have not arrived yet."""
        if len(self._came) < size:
            return None
        taken = bytes(self._came[:size])
        del self._came[:size]
        self._offset += size
        return taken

    def _read_chunk(self) -> bool:
        """Reads or skips the next chunk; returns False if more data are needed."""
        if self._skip:
            size = min(self._skip, len(self._came))
            del self._came[:size]
            self._offset += size
            self._skip -= size
            return not self._skip
        if self._header is None:
            head = self._take(CHUNK_HEADER.itemsize)
            if head is None:
                return False
            self._header = parse_header(head, self._offset - len(head))
        header = self._header
        size = header.length + -header.length % 8
        if header.length > MAX_PAYLOAD.get(header.type, -1):
            self._header, self._skip = None, size
            return True
        stored = self._take(size)
        if stored is None:
            return False
        self._header = None
        try:
            self._add(chunk_of(header, memoryview(stored)[: header.length]))
        except PfmParseError as problem:
            if not self.begun:
                raise
            self._unread += header.type == "BUFR"
            note(self.problems, problem)
            del self.problems[:-KEPT_PROBLEMS]
        return True

    def _add(self, chunk: Chunk) -> None:
        """Adds the contents of a chunk. Raises PfmParseError if it cannot be read."""
        if not self.begun:
            self._begin(chunk)
        elif chunk.type == "SESS":
            raise PfmParseError("a second SESS chunk", chunk.offset)
        elif chunk.type == "BUFR":
            buffer = read_buffer(chunk, self.contexts, self.maps.epoch)
            self._buffers.append(replace(Buffers.of(buffer), unread=self._unread))
        elif chunk.type == "CTXT":
            context = parse_context(bytes(chunk.payload), chunk.offset)
            self.contexts[context.id] = context
        elif chunk.type == "TICK":
            self._tick = parse_tick(bytes(chunk.payload), chunk.offset)
        else:
            self._forget()
            self.add(chunk.type, bytes(chunk.payload), chunk.offset)

    def _begin(self, chunk: Chunk) -> None:
        if chunk.type != "SESS":
            raise PfmParseError("the session is not the first chunk", chunk.offset)
        self.session_text = bytes(chunk.payload)
        self.session = parse_session(self.session_text, chunk.offset)
        self.contexts = self.session.contexts_by_id()
        self.begun = True

    def _forget(self) -> None:
        """Forgets old mappings and code of the kernel if there are too many."""
        if self._mappings > MAX_MAPPINGS // 2:
            self._mappings = self.maps.keep(MAX_MAPPINGS // 4)
        if self.kernel_code is not None:
            self.kernel_code.forget()
        self.threads.count_again()
