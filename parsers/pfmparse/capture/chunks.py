# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find and read the chunks of a capture file (docs/capture.md)."""

from __future__ import annotations

import ctypes
import struct
import zlib
from functools import cache
from io import BufferedIOBase
from typing import Any, Iterator, NamedTuple, Optional

import numpy as np

from ..errors import PfmParseError, note
from ..layout import Data, struct_dtype, view
from ..text import amount
from .storage import Storage

SMALL = 1 << 14  # bytes; zlib is fast enough for data up to this size


def crc32(data: Data) -> int:
    """Returns the CRC-32 of the data, as computed by zlib."""
    fast = _libdeflate() if len(data) > SMALL else None
    if fast is None:
        return zlib.crc32(data)
    return int(fast(0, _address(data), len(data)))


def crc32_of_each(data: memoryview, begins: list[int], sizes: list[int]) -> list[int]:
    """Returns the CRC-32 of each part of the data."""
    fast, parts = _libdeflate(), zip(begins, sizes)
    if fast is None:
        return [zlib.crc32(data[begin : begin + size]) for begin, size in parts]
    address = _address(data)
    return [fast(0, address + begin, size) for begin, size in parts]


def _address(data: Data) -> int:
    # The address of the data. This is much faster than an array's ``ctypes.data``.
    return int(np.frombuffer(data, np.uint8).__array_interface__["data"][0])


@cache
def _libdeflate() -> Optional[Any]:
    """Returns libdeflate's function, which is faster than zlib's; None if missing."""
    try:
        function = ctypes.CDLL("libdeflate.so.0").libdeflate_crc32
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.c_uint32
    function.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t]
    return function


MAGIC = b"PFMCAP\r\n"
FILE_VERSION = 1
COMPRESSED = 0x1  # flag of a chunk
PIECE = 1 << 18  # bytes that are decompressed at once

# The maximum size of the payload for each type of chunk, in decompressed bytes.
MAX_PAYLOAD = {
    "SESS": 8 << 20,
    "CTXT": 1 << 16,
    "FARG": 8 << 20,
    "MAPS": 8 << 20,
    "PROC": 8 << 20,
    "THRD": 8 << 20,
    "JITM": 64 << 20,
    "JITD": 64 << 20,
    "CLCK": 8 << 20,
    "KSYM": 64 << 20,
    "KEND": 64 << 20,
    "VDSO": 1 << 20,
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
_HEADER = struct.Struct("<4sIQII")  # faster than numpy for single headers
assert _HEADER.size == CHUNK_HEADER.itemsize


class ChunkHeader(NamedTuple):
    """A chunk's header; its checksum was verified.

    ``offset`` is the payload's offset in the file, ``length`` its stored size in bytes.
    """

    type: str
    flags: int
    length: int
    payload_crc: int
    offset: int


class Chunk(NamedTuple):
    """A chunk's payload, decompressed, and the payload's offset in the file.

    ``whole`` is False if the file ends within the chunk; its checksum was then not
    verified.
    """

    type: str
    offset: int
    payload: Data
    compressed: bool
    whole: bool


class ChunkReader:
    """Finds a capture's chunks by their headers, and reads payloads.

    ``problems`` collects errors; docs/capture.md says after which errors reading goes
    on. ``offset`` is the offset of the first byte after the chunks found so far.
    """

    def __init__(self, stream: BufferedIOBase, problems: list[PfmParseError]) -> None:
        """Reads the file's header.

        Raises PfmParseError if the file is not a capture.
        """
        self._storage = Storage(stream)
        self._problems = problems
        self.offset = 0
        head = self._read(FILE_HEADER.itemsize)
        check_file_header(head)

    def headers(self) -> Iterator[ChunkHeader]:
        """Yields the headers of all chunks, without reading the payloads."""
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
        """Reads a chunk of a known type; returns None if the file ends within it.

        Raises PfmParseError if the chunk is damaged. This method is thread-safe.
        """
        chunk = self.chunk(header)
        return chunk if chunk.whole else None

    def chunk(self, header: ChunkHeader, stored: Optional[Data] = None) -> Chunk:
        """Reads a chunk, which may be incomplete.

        ``stored`` are the bytes of its payload, if they were already read.
        """
        return chunk_of(header, self._stored(header) if stored is None else stored)

    def stored(self, start: int, end: int) -> memoryview:
        """Returns the bytes of the file from ``start`` to ``end``, or to its end."""
        return self._storage.read(start, end - start)

    def drop(self, offset: int) -> None:
        """Frees memory of data before ``offset``; the data can be read again later."""
        self._storage.drop(offset)

    def _stored(self, header: ChunkHeader) -> Data:
        """Returns a payload as it is stored; raises PfmParseError if it is too long."""
        limit = MAX_PAYLOAD[header.type]
        if header.length > limit:
            size = amount(header.length, "bytes")
            text = f"a {header.type} chunk of {size} exceeds the limit of {limit}"
            raise PfmParseError(text, header.offset - 16)
        return self._storage.read(header.offset, header.length)

    def _header(self) -> Optional[ChunkHeader]:
        """Returns the next chunk's header; None at the end of the file or on damage."""
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
        """Returns the next ``length`` bytes; fewer if the file ends before that."""
        read = self._storage.peek(self.offset, length)
        self.offset += len(read)
        return read


def check_file_header(head: bytes) -> None:
    """Raises PfmParseError if ``head`` is not the start of a capture."""
    if not MAGIC.startswith(head[: len(MAGIC)]):
        raise PfmParseError("not a capture", 0)
    if len(head) < FILE_HEADER.itemsize:
        message = "the file ends within its header"
        raise PfmParseError(message, len(head), truncated=True)
    version = int(view(head, FILE_HEADER, 1, 0, len(head))[0]["version"])
    if version != FILE_VERSION:
        raise PfmParseError(f"capture version {version} is not supported", 8)


def parse_header(head: bytes, offset: int) -> ChunkHeader:
    """Returns the chunk header that is at byte ``offset`` of the file.

    Raises PfmParseError if the header's checksum is wrong.
    """
    kind, flags, length, payload_crc, header_crc = _HEADER.unpack(head)
    if zlib.crc32(head[:20]) != header_crc:
        text = "a chunk header has a wrong checksum: the rest of the file is not read"
        raise PfmParseError(text, offset)
    name = kind.decode("ascii", errors="replace")
    return ChunkHeader(name, flags, length, payload_crc, offset + len(head))


def chunk_of(header: ChunkHeader, stored: Data) -> Chunk:
    """Returns the chunk with these ``stored`` bytes.

    Raises PfmParseError if the chunk is damaged.
    """
    start, whole = header.offset, len(stored) == header.length
    if header.flags & ~COMPRESSED:
        raise PfmParseError(f"unknown chunk flags {header.flags:#x}", start - 20)
    if whole and crc32(stored) != header.payload_crc:
        raise PfmParseError(f"{header.type} has a wrong checksum", start)
    compressed = bool(header.flags & COMPRESSED)
    if compressed:
        stored = _decompress(stored, MAX_PAYLOAD[header.type], whole, start)
    return Chunk(header.type, start, stored, compressed, whole)


def _decompress(stored: Data, limit: int, whole: bool, offset: int) -> bytes:
    """Decompresses a zlib stream, which is at ``offset`` in the file.

    Raises PfmParseError if it is invalid, if it has more than ``limit`` decompressed
    bytes, or if it should be ``whole`` but is incomplete.
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
                many = f"the decompressed payload has more than {limit} bytes"
                raise PfmParseError(many, offset)
    except zlib.error as error:
        raise PfmParseError(str(error), offset) from None
    if whole and not stream.eof:
        raise PfmParseError("the zlib stream is incomplete", offset)
    return bytes(text)
