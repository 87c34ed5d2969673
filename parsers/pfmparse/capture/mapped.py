# SPDX-License-Identifier: MIT OR GPL-2.0
"""A memory-mapped file, of which only the parts in use take memory."""

from __future__ import annotations

import mmap
import os
from typing import Optional


class MappedFile:
    """The bytes of a file; several threads may read it, roughly in ascending order.

    read() detects that the file was truncated. Truncation after read() makes accesses
    to the returned bytes end the process with SIGBUS.
    """

    def __init__(self, descriptor: int) -> None:
        """Raises OSError or ValueError if the file cannot be mapped or is empty."""
        self._descriptor = descriptor
        self._pages = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        self._bytes = memoryview(self._pages)
        self._dropped = 0

    def read(self, start: int, end: int) -> Optional[memoryview]:
        """A part of the file; None if the file ends before ``end``."""
        if end > min(len(self._bytes), os.fstat(self._descriptor).st_size):
            return None
        return self._bytes[start:end]

    def drop(self, end: int) -> None:
        """Frees the memory of bytes before ``end``; later accesses read them again.

        This method is not thread-safe.
        """
        end = max(0, end) // mmap.PAGESIZE * mmap.PAGESIZE
        start, self._dropped = min(self._dropped, end), end
        if start < end:
            self._pages.madvise(mmap.MADV_DONTNEED, start, end - start)
