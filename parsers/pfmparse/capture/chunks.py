# SPDX-License-Identifier: MIT OR GPL-2.0
"""Finds and reads the chunks of a capture file (docs/capture.md)."""

from __future__ import annotations

import struct
import zlib
from io import BufferedIOBase
from typing import Iterator, NamedTuple, Optional

from ..errors import PfmParseError, note
from ..layout import Data, struct_dtype, view
from .checksum import crc32
from .storage import Storage

MAGIC = b"PFMCAP\r\n"
FILE_VERSION = 1
COMPRESSED = 0x1  # flag of a chunk
PIECE = 1 << 18  # bytes that are decompressed at once

# The longest payload that is read of each type, in decompressed bytes.
MAX_PAYLOAD = {
    "SESS": 8 << 20,
    "CTXT": 1 << 16,
    "MAPS": 8 << 20,
    "THRD": 8 << 20,
    "JITM": 64 << 20,
    "CLCK": 8 << 20,
    "KSYM": 64 << 20,
    "BUFR": 256 << 20,
    "COOK": 8 << 20,
    "DONE": 8 << 20,
    "TICK": 8 << 20,
}

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
_HEADER = struct.Struct("<4sIQII")  # the same: a capture has many, one by one
assert _HEADER.size == CHUNK_HEADER.itemsize


class ChunkHeader(NamedTuple):
    """A chunk's header, its checksum verified.

    ``offset`` is that of the payload in the file, ``length`` in bytes as stored.
    """

    type: str
    flags: int
    length: int
    payload_crc: int
    offset: int


class Chunk(NamedTuple):
    """A chunk's payload, decompressed, and its offset in the file.

    ``whole`` is False if the file ends within it; the checksum then verifies
    nothing.
    """

    type: str
    offset: int
    payload: Data
    compressed: bool
    whole: bool


class ChunkReader:
    """Finds a capture's chunks by their headers, and reads payloads.

    ``problems`` collects what was wrong; reading goes on as docs/capture.md says.
    ``offset`` is that of the first byte behind what was found.
    """

    def __init__(self, stream: BufferedIOBase, problems: list[PfmParseError]) -> None:
        """Reads the file's header; PfmParseError if the file is not a capture."""
        self._storage = Storage(stream)
        self._problems = problems
        self.offset = 0
        head = self._read(FILE_HEADER.itemsize)
        check_file_header(head)

    def headers(self) -> Iterator[ChunkHeader]:
        """The headers of all chunks, without a look at what is between them."""
        while True:
            header = self._header()
            if header is None:
                return
            yield header
            self.offset += header.length + -header.length % 8
            if self.offset > self._storage.size:
                self.offset = self._storage.size
                self._cut("a chunk")
                return

    def payload(self, header: ChunkHeader) -> Optional[Chunk]:
        """The chunk of a known type; None if the file ends within it.

        PfmParseError if it is damaged. Several threads may call this.
        """
        chunk = self.chunk(header)
        return chunk if chunk.whole else None

    def chunk(self, header: ChunkHeader, stored: Optional[Data] = None) -> Chunk:
        """The same, though the file may end within it; ``stored`` if that is known."""
        return chunk_of(header, self._stored(header) if stored is None else stored)

    def stored(self, start: int, end: int) -> memoryview:
        """The bytes of the file from ``start`` on, fewer than to ``end`` at its end."""
        return self._storage.read(start, end - start)

    def drop(self, offset: int) -> None:
        """Nobody needs what the file has before that byte, at least for now."""
        self._storage.drop(offset)

    def _stored(self, header: ChunkHeader) -> Data:
        """The payload as it is stored; PfmParseError if that cannot be read."""
        limit = MAX_PAYLOAD[header.type]
        if header.length > limit:
            text = f"{header.type} of {header.length} bytes, at most {limit} are read"
            raise PfmParseError(text, header.offset - 16)
        return self._storage.read(header.offset, header.length)

    def _header(self) -> Optional[ChunkHeader]:
        """The next chunk's header; None at the end, or if it is damaged."""
        start = self.offset
        head = self._read(_HEADER.size)
        try:
            if len(head) == _HEADER.size:
                return parse_header(head, start)
            if head:
                self._cut("a chunk's header")
            return None
        except PfmParseError as problem:
            note(self._problems, problem)
            return None

    def _cut(self, what: str) -> None:
        text = f"the file ends within {what}"
        note(self._problems, PfmParseError(text, self.offset, truncated=True))

    def _read(self, length: int) -> bytes:
        """The next ``length`` bytes, fewer at the end of the file."""
        read = self._storage.peek(self.offset, length)
        self.offset += len(read)
        return read


def check_file_header(head: bytes) -> None:
    """PfmParseError if a file that begins like that is no capture."""
    if not MAGIC.startswith(head[: len(MAGIC)]):
        raise PfmParseError("not a capture", 0)
    if len(head) < FILE_HEADER.itemsize:
        message = "the file ends within its header"
        raise PfmParseError(message, len(head), truncated=True)
    version = int(view(head, FILE_HEADER, 1, 0, len(head))[0]["version"])
    if version != FILE_VERSION:
        raise PfmParseError(f"version {version} of captures is unknown", 8)


def parse_header(head: bytes, offset: int) -> ChunkHeader:
    """The header at that byte of the file; PfmParseError if its checksum is wrong."""
    kind, flags, length, payload_crc, header_crc = _HEADER.unpack(head)
    if zlib.crc32(head[:20]) != header_crc:
        text = "a chunk's header has a wrong checksum, the rest is not read"
        raise PfmParseError(text, offset)
    name = kind.decode("ascii", errors="replace")
    return ChunkHeader(name, flags, length, payload_crc, offset + len(head))


def chunk_of(header: ChunkHeader, stored: Data) -> Chunk:
    """The chunk of which so much is stored; PfmParseError if it is damaged."""
    start, whole = header.offset, len(stored) == header.length
    if header.flags & ~COMPRESSED:
        raise PfmParseError(f"flags {header.flags:#x} are unknown", start - 20)
    if whole and crc32(stored) != header.payload_crc:
        raise PfmParseError(f"{header.type} has a wrong checksum", start)
    compressed = bool(header.flags & COMPRESSED)
    if compressed:
        stored = _decompress(stored, MAX_PAYLOAD[header.type], whole, start)
    return Chunk(header.type, start, stored, compressed, whole)


def _decompress(stored: Data, limit: int, whole: bool, offset: int) -> bytes:
    """Decompresses at most ``limit`` bytes; a whole zlib stream must have its end.

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
