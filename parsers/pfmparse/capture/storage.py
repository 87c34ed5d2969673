# SPDX-License-Identifier: MIT OR GPL-2.0
"""Access to the bytes of a capture at any offset."""

from __future__ import annotations

import io
import mmap
import os
from functools import cached_property
from io import BufferedIOBase
from threading import Lock
from typing import Callable, Optional

import numpy as np


class MappedFile:
    """The bytes of a file; several threads may read it, at roughly ascending offsets.

    read() detects that the file was truncated. If the file is truncated after read(),
    an access to the returned bytes ends the process with SIGBUS.
    """

    def __init__(self, descriptor: int) -> None:
        """Raises OSError or ValueError if the file cannot be mapped or is empty."""
        self._descriptor = descriptor
        self._pages = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        self._bytes = memoryview(self._pages)
        self._dropped = 0

    def read(self, start: int, end: int) -> Optional[memoryview]:
        """Returns the bytes from ``start`` to ``end``, None if the file is shorter."""
        if end > min(len(self._bytes), os.fstat(self._descriptor).st_size):
            return None
        return self._bytes[start:end]

    def drop(self, end: int) -> None:
        """Frees the memory of the bytes before ``end``.

        If they are accessed later, they are read from the file again. This method is
        not thread-safe.
        """
        end = max(0, end) // mmap.PAGESIZE * mmap.PAGESIZE
        start, self._dropped = min(self._dropped, end), end
        if start < end:
            self._pages.madvise(mmap.MADV_DONTNEED, start, end - start)


PIECE = 1 << 18  # bytes that are copied at once from a stream that cannot seek
PAGE = 4096  # bytes
MAPPED = 1 << 16  # bytes; smaller reads are copied, not mapped


class Storage:
    """Reads a stream, in any thread and at any offset from its current position."""

    def __init__(self, stream: BufferedIOBase) -> None:
        """If the stream cannot seek, copies it to a temporary file."""
        if not stream.seekable():
            stream = _copied(stream)
        self._stream = stream
        self._start = stream.tell()
        self.size = max(0, stream.seek(0, os.SEEK_END) - self._start)
        self._descriptor = _descriptor(stream)
        self._lock = Lock()
        self._read_into: Callable[[memoryview, int], Optional[int]] = (
            self._seek_and_read if self._descriptor is None else self._read_at
        )

    def read(self, offset: int, length: int) -> memoryview:
        """Returns ``length`` bytes from ``offset`` on, or fewer at the end of the file.

        Uses no more memory than the size of the file, even if ``length`` is larger.
        """
        length = max(0, min(length, self.size - offset))
        if length >= MAPPED and self._mapped is not None:
            start = self._start + offset
            pages = self._mapped.read(start, start + length)
            if pages is not None:
                return pages
        room, end = _room(self._start + offset, length), 0
        while end < len(room):
            number = self._read_into(room[end:], self._start + offset + end)
            if not number:
                break
            end += number
        return room[:end]

    def peek(self, offset: int, length: int) -> bytes:
        """Returns a few bytes, without the overhead of an array."""
        if self._descriptor is None or offset + length > self.size:
            return bytes(self.read(offset, length))
        return os.pread(self._descriptor, length, self._start + offset)

    def drop(self, offset: int) -> None:
        """Lets memory before this offset be freed; it can be read again later."""
        if self._mapped is not None:
            self._mapped.drop(self._start + offset)

    @cached_property
    def _mapped(self) -> Optional[MappedFile]:
        """The mapped file, None if the stream cannot be mapped."""
        try:
            return None if self._descriptor is None else MappedFile(self._descriptor)
        except (OSError, ValueError):
            return None

    def _read_at(self, room: memoryview, offset: int) -> int:
        assert self._descriptor is not None
        return os.preadv(self._descriptor, [room], offset)

    def _seek_and_read(self, room: memoryview, offset: int) -> Optional[int]:
        with self._lock:
            self._stream.seek(offset)
            return self._stream.readinto(room)


def _room(offset: int, length: int) -> memoryview:
    """Returns a buffer for data of a file; both have the same offset within a page.

    On some CPUs, copying is several times slower if the two offsets differ slightly.
    """
    pages = np.empty(length + PAGE, np.uint8)
    start = (offset - pages.__array_interface__["data"][0]) % PAGE
    return pages[start : start + length].data


def _descriptor(stream: BufferedIOBase) -> Optional[int]:
    """Returns a stream's descriptor if it reads a plain file, otherwise None."""
    raw = getattr(stream, "raw", stream)
    if isinstance(stream, (io.BufferedReader, io.BufferedRandom)) and isinstance(
        raw, io.FileIO
    ):
        return raw.fileno()
    return None


def _copied(stream: BufferedIOBase) -> BufferedIOBase:
    """Returns an unnamed temporary file with a copy of the rest of a stream."""
    from tempfile import TemporaryFile  # slow to import, and rarely needed

    copy = TemporaryFile()
    while piece := stream.read(PIECE):
        copy.write(piece)
    copy.flush()
    copy.seek(0)
    assert isinstance(copy, io.BufferedRandom)
    return copy
