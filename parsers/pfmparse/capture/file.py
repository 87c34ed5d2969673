# SPDX-License-Identifier: MIT OR GPL-2.0
"""Reads capture files chunk by chunk (docs/capture.md)."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from io import BufferedIOBase
from typing import Iterator, Optional

import numpy as np

from ..errors import PfmParseError
from ..layout import Data, struct_dtype, view
from .checksum import crc32
from .cookies import CookieFile, parse_cookies
from .image import assemble
from .kallsyms import KernelSymbols
from .maps import MapsHistory, parse_maps
from .session import Totals, parse_session, parse_totals

MAGIC = b"PFMCAP\r\n"
FILE_VERSION = 1
COMPRESSED = 0x1  # flag of a chunk
PIECE = 1 << 18  # bytes read or decompressed at once

# The longest payload in bytes, decompressed, of each type that is read.
MAX_PAYLOAD = {
    "SESS": 8 << 20,
    "MAPS": 8 << 20,
    "KSYM": 64 << 20,
    "BUFR": 256 << 20,
    "COOK": 8 << 20,
    "DONE": 8 << 20,
}
MAX_MAPPINGS = 1 << 20  # in all MAPS chunks together
MAX_COOKIES = 1 << 20  # in all COOK chunks together

FILE_HEADER = struct_dtype(
    16,
    [
        ("magic", "V8", 0),
        ("version", "<u4", 8),
        ("reserved", "<u4", 12),
    ],
)
assert FILE_HEADER.itemsize == 16

CHUNK_HEADER = struct_dtype(
    24,
    [
        ("type", "V4", 0),
        ("flags", "<u4", 4),
        ("length", "<u8", 8),  # bytes of payload as stored
        ("payload_crc", "<u4", 16),
        ("header_crc", "<u4", 20),
    ],
)
assert CHUNK_HEADER.itemsize == 24

BUFFER_HEADER = struct_dtype(
    24,
    [
        ("context", "<u4", 0),
        ("pieces", "<u4", 4),  # 0: the bytes from the first on
        ("time_ns", "<u8", 8),  # ns, CLOCK_MONOTONIC
        ("buf_size", "<u8", 16),  # bytes
    ],
)
assert BUFFER_HEADER.itemsize == 24


@dataclass(frozen=True)
class ChunkHeader:
    """A chunk's header, its checksum verified; length in bytes as stored."""

    type: str
    flags: int
    length: int
    payload_crc: int


@dataclass(frozen=True)
class Chunk:
    """A chunk's payload, decompressed, and the offset in the file of its first byte.

    ``whole`` is False if the file ends within it; what is there is then not
    verified by the checksum. That can be only a BUFR.
    """

    type: str
    offset: int
    payload: Data
    compressed: bool
    whole: bool


@dataclass(frozen=True)
class Buffer:
    """A copy of a sampling buffer.

    ``epoch`` is that of the mappings when it was copied. ``offset`` is where the
    file holds ``data``, or what they were made of if that is ``stored`` in another
    form: compressed or in pieces. ``whole`` is False if more of the copy may have
    been lost at the end of the file. ``unread`` is how many buffers before this one
    could not be read.
    """

    data: memoryview
    context: int
    epoch: int
    offset: int
    stored: str
    whole: bool
    unread: int = 0


class ChunkReader:
    """Reads a capture's chunks from the first to the last, each one once.

    ``problems`` collects what was wrong; reading goes on as docs/capture.md says.
    """

    def __init__(self, stream: BufferedIOBase, problems: list[PfmParseError]) -> None:
        """Reads the file's header; PfmParseError if it is not a capture's."""
        self._stream = stream
        self._problems = problems
        self._size = _size(stream)
        self.offset = 0
        self.unread_buffers = 0
        head = bytes(self._read(FILE_HEADER.itemsize))
        if not MAGIC.startswith(head[: len(MAGIC)]):
            raise PfmParseError("not a capture", 0)
        if len(head) < FILE_HEADER.itemsize:
            message = "the file ends within its header"
            raise PfmParseError(message, len(head), truncated=True)
        version = int(view(head, FILE_HEADER, 1, 0, len(head))[0]["version"])
        if version != FILE_VERSION:
            raise PfmParseError(f"version {version} of captures is unknown", 8)

    def __iter__(self) -> Iterator[Chunk]:
        """The chunks of known types whose checksums are right."""
        while True:
            header = self._header()
            if header is None:
                return
            start = self.offset
            try:
                chunk = self._payload(header)
            except PfmParseError as problem:
                self._problems.append(problem)
                self.unread_buffers += header.type == "BUFR"
                chunk = None
            if chunk is not None:
                yield chunk
            if not self._skip_to(start, header.length):
                return

    def _header(self) -> Optional[ChunkHeader]:
        """The next chunk's header, None at the end and if it is damaged."""
        start = self.offset
        head = bytes(self._read(CHUNK_HEADER.itemsize))
        if not head:
            return None
        if len(head) < CHUNK_HEADER.itemsize:
            self._cut("a chunk's header")
            return None
        raw = view(head, CHUNK_HEADER, 1, 0, len(head))[0]
        if zlib.crc32(head[:20]) != int(raw["header_crc"]):
            text = "a chunk's header has a wrong checksum, the rest is not read"
            self._problems.append(PfmParseError(text, start))
            return None
        return ChunkHeader(
            type=head[:4].decode("ascii", errors="replace"),
            flags=int(raw["flags"]),
            length=int(raw["length"]),
            payload_crc=int(raw["payload_crc"]),
        )

    def _payload(self, header: ChunkHeader) -> Optional[Chunk]:
        """The payload behind a header, None if the type is unknown."""
        start, limit = self.offset, MAX_PAYLOAD.get(header.type)
        if limit is None:
            return None
        if header.flags & ~COMPRESSED:
            raise PfmParseError(f"flags {header.flags:#x} are unknown", start - 20)
        if header.length > limit:
            text = f"{header.type} of {header.length} bytes, at most {limit} are read"
            raise PfmParseError(text, start - 16)
        stored: Data = self._read(header.length)
        whole = len(stored) == header.length
        if whole and crc32(stored) != header.payload_crc:
            raise PfmParseError(f"{header.type} has a wrong checksum", start)
        compressed = bool(header.flags & COMPRESSED)
        if compressed:
            stored = _decompress(stored, limit, whole, start)
        if not whole and header.type != "BUFR":
            return None
        return Chunk(header.type, start, stored, compressed, whole)

    def _skip_to(self, start: int, length: int) -> bool:
        """Goes behind a payload and its padding; False if the file ends before."""
        end = start + length + -length % 8
        while self.offset < end:
            if not self._read(min(PIECE, end - self.offset)):
                self._cut("a chunk")
                return False
        return True

    def _cut(self, what: str) -> None:
        text = f"the file ends within {what}"
        self._problems.append(PfmParseError(text, self.offset, truncated=True))

    def _read(self, length: int) -> memoryview:
        """The next ``length`` bytes, fewer at the end of the file.

        No more is allocated than the file holds, whatever ``length`` claims; if its
        size is not known, twice what was read.
        """
        if self._size is not None:
            length = min(length, self._size - self.offset)
        room = min(length, PIECE) if self._size is None else length
        read, end = np.empty(room, np.uint8), 0
        while end < length:
            if end == read.size:
                more = min(length - end, end)
                read = np.concatenate([read, np.empty(more, np.uint8)])
            piece = self._stream.readinto(read[end : end + PIECE].data)
            if not piece:
                break
            end += piece
        self.offset += end
        return read[:end].data


def _size(stream: BufferedIOBase) -> Optional[int]:
    """Bytes of a stream from here to its end, None if that is not known."""
    if not stream.seekable():
        return None
    start = stream.tell()
    size = stream.seek(0, os.SEEK_END) - start
    stream.seek(start)
    return size


def _decompress(stored: Data, limit: int, whole: bool, offset: int) -> bytes:
    """At most ``limit`` bytes from a zlib stream, which must end if it is whole.

    ``offset`` is that of the stream in the file.
    """
    stream, text = zlib.decompressobj(), bytearray()
    try:
        while not stream.eof:
            piece = stream.decompress(stored, PIECE)
            stored = stream.unconsumed_tail
            if not piece and not stored:
                break
            text += piece
            if len(text) > limit:
                raise PfmParseError(f"decompresses to more than {limit} bytes", offset)
    except zlib.error as error:
        raise PfmParseError(str(error), offset) from None
    if whole and not stream.eof:
        raise PfmParseError("the zlib stream does not end", offset)
    return bytes(text)


class Capture:
    """A capture file.

    The session is there from the start; ``maps``, ``kernel``, ``cookies``,
    ``totals`` and ``problems`` are complete when ``buffers()`` has come to its end.
    """

    def __init__(self, stream: BufferedIOBase) -> None:
        """Reads up to the session; PfmParseError if it cannot be read."""
        self.problems: list[PfmParseError] = []
        self.maps = MapsHistory()
        self.kernel: Optional[KernelSymbols] = None
        self.cookies: dict[int, CookieFile] = {}
        self.totals: Optional[Totals] = None
        self._mappings = 0
        self._reader = ChunkReader(stream, self.problems)
        self._chunks = iter(self._reader)
        first = next(self._chunks, None)
        if first is not None and first.type == "SESS":
            self.session = parse_session(bytes(first.payload), first.offset)
        elif self.problems:
            raise self.problems[0]
        else:
            text = "the session is not the first chunk"
            raise PfmParseError(text, FILE_HEADER.itemsize, truncated=first is None)
        self._contexts = {context.id for context in self.session.contexts}

    def buffers(self) -> Iterator[Buffer]:
        """The buffers' copies in the order of the file; can be read once."""
        for chunk in self._chunks:
            try:
                if chunk.type == "BUFR":
                    yield self._buffer(chunk)
                else:
                    self._note(chunk)
            except PfmParseError as problem:
                self.problems.append(problem)
                self._reader.unread_buffers += chunk.type == "BUFR"
        if self.totals is None and not any(p.truncated for p in self.problems):
            text = "the file ends without a DONE chunk that can be read"
            end = self._reader.offset
            self.problems.append(PfmParseError(text, end, truncated=True))

    def _buffer(self, chunk: Chunk) -> Buffer:
        head = BUFFER_HEADER.itemsize
        if len(chunk.payload) < head:
            text = f"BUFR of {len(chunk.payload)} bytes"
            raise PfmParseError(text, chunk.offset, truncated=not chunk.whole)
        raw = view(chunk.payload, BUFFER_HEADER, 1, 0, head)[0]
        context = int(raw["context"])
        if context not in self._contexts:
            text = f"BUFR of context {context}, which is not in the session"
            raise PfmParseError(text, chunk.offset)
        data = memoryview(chunk.payload)[head:]
        offset = chunk.offset + (0 if chunk.compressed else head)
        stored = "decompressed" if chunk.compressed else ""
        pieces = int(raw["pieces"])
        if pieces:
            try:
                data = assemble(data, pieces, int(raw["buf_size"]), chunk.whole)
            except PfmParseError as problem:
                raise problem.within(offset, stored, chunk.whole) from None
            stored = "assembled"
        return Buffer(
            data=data,
            context=context,
            epoch=self.maps.epoch,
            offset=offset,
            stored=stored,
            whole=chunk.whole,
            unread=self._reader.unread_buffers,
        )

    def _note(self, chunk: Chunk) -> None:
        """Takes what a chunk says about the whole capture."""
        text = bytes(chunk.payload)
        if chunk.type == "MAPS":
            maps = parse_maps(text, chunk.offset)
            self._mappings += len(maps.mappings)
            if self._mappings > MAX_MAPPINGS:
                many = f"more than {MAX_MAPPINGS} mappings"
                raise PfmParseError(many, chunk.offset)
            self.maps.add(maps)
        elif chunk.type == "COOK":
            cookies = {**self.cookies, **parse_cookies(text, chunk.offset)}
            if len(cookies) > MAX_COOKIES:
                raise PfmParseError(f"more than {MAX_COOKIES} cookies", chunk.offset)
            self.cookies = cookies
        elif chunk.type == "KSYM" and self.kernel is None:
            self.kernel = KernelSymbols(text, chunk.offset)
        elif chunk.type == "DONE" and self.totals is None:
            self.totals = parse_totals(text, chunk.offset)
        else:
            raise PfmParseError(f"a second {chunk.type}", chunk.offset)
