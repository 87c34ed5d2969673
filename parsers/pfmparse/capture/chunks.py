# SPDX-License-Identifier: MIT OR GPL-2.0
"""Reads the chunks of a capture file in order (docs/capture.md)."""

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

MAGIC = b"PFMCAP\r\n"
FILE_VERSION = 1
COMPRESSED = 0x1  # flag of a chunk
PIECE = 1 << 18  # bytes read or decompressed at once

# The longest payload that is read of each type, in decompressed bytes.
MAX_PAYLOAD = {
    "SESS": 8 << 20,
    "MAPS": 8 << 20,
    "KSYM": 64 << 20,
    "BUFR": 256 << 20,
    "COOK": 8 << 20,
    "DONE": 8 << 20,
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


@dataclass(frozen=True)
class ChunkHeader:
    """A chunk's header, its checksum verified; length in bytes as stored."""

    type: str
    flags: int
    length: int
    payload_crc: int


@dataclass(frozen=True)
class Chunk:
    """A chunk's payload, decompressed, and its offset in the file.

    ``whole`` is False if the file ends within it; the checksum then verifies
    nothing. Only a BUFR is returned like that.
    """

    type: str
    offset: int
    payload: Data
    compressed: bool
    whole: bool


class ChunkReader:
    """Reads a capture's chunks, each one once.

    ``problems`` collects what was wrong; reading goes on as docs/capture.md says.
    """

    def __init__(self, stream: BufferedIOBase, problems: list[PfmParseError]) -> None:
        """Reads the file's header; PfmParseError if the file is not a capture."""
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
        """The chunks of known types with correct checksums."""
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
        """The next chunk's header; None at the end, or if it is damaged."""
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
        """The payload that follows a header; None if the type is unknown."""
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
        """Skips a payload and its padding; False if the file ends within them."""
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

        Whatever ``length`` claims, no more is allocated than the file holds or, if
        its size is not known, than twice what was read.
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
    """Bytes from here to the end of a stream; None if it cannot seek."""
    if not stream.seekable():
        return None
    start = stream.tell()
    size = stream.seek(0, os.SEEK_END) - start
    stream.seek(start)
    return size


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
