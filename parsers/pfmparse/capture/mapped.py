# SPDX-License-Identifier: MIT OR GPL-2.0
"""A file that is mapped, of which only what is in use takes memory."""

from __future__ import annotations

import mmap
import os
from typing import Optional


class MappedFile:
    """The bytes of a file, which several threads may read from its start to its end.

    If somebody shortens the file while its bytes are in use, using them is a signal
    that ends the process: whoever reads is told only of what was cut off before.
    """

    def __init__(self, descriptor: int) -> None:
        """OSError or ValueError if it cannot be mapped; an empty file cannot."""
        self._descriptor = descriptor
        self._pages = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        self._bytes = memoryview(self._pages)
        self._dropped = 0

    def read(self, start: int, end: int) -> Optional[memoryview]:
        """A part of the file; None if it ends before."""
        if end > min(len(self._bytes), os.fstat(self._descriptor).st_size):
            return None
        return self._bytes[start:end]

    def drop(self, end: int) -> None:
        """Frees memory of what is before that byte; it is read again if it is used.

        For one thread at a time.
        """
        end = max(0, end) // mmap.PAGESIZE * mmap.PAGESIZE
        start, self._dropped = min(self._dropped, end), end
        if start < end:
            self._pages.madvise(mmap.MADV_DONTNEED, start, end - start)
