# SPDX-License-Identifier: MIT OR GPL-2.0
"""The kernel in perf.data: where it is, and a file of its symbols.

Modules are parts of it: perf would look for their files, and for functions that were
found there before it reads those of the kernel.
"""

from __future__ import annotations

import hashlib
from typing import Optional

import numpy as np

from ..capture.kallsyms import KERNEL, KernelSymbols
from ..layout import KERNEL_START
from .perf_records import Words, mmap

PERFS_NAME = "[kernel.kallsyms]_text"  # of the kernel, and of the symbol it begins with
FIRST = "_text"
END = (1 << 64) - 1


class Kernel:
    """The kernel of a capture, whose symbols may not be known."""

    def __init__(self, symbols: Optional[KernelSymbols]) -> None:
        found = list(symbols.all()) if symbols else []
        self._functions = [symbol for symbol in found if symbol.name]
        self._start = found[0].start if found else KERNEL_START
        self._starts = np.array([symbol.start for symbol in found], np.uint64)
        modules = [symbol.object != KERNEL for symbol in found]
        self._modules = np.array(modules, np.bool_)

    def mapping(self) -> bytes:
        """The MMAP record."""
        # perf corrects addresses by what its symbols say of this one; 0 says nothing.
        reference = self._start if self._functions else 0
        return mmap(self._start, END - self._start, reference, PERFS_NAME)

    def kallsyms(self) -> bytes:
        """The functions as /proc/kallsyms has them; none if none is known."""
        lines = [f"{symbol.start:x} T {symbol.name}\n" for symbol in self._functions]
        if lines and self._functions[0].name != FIRST:
            lines.insert(0, f"{self._start:x} T {FIRST}\n")
        return "".join(lines).encode(errors="replace")

    def identifier(self) -> bytes:
        """A build ID that no kernel has: perf must not take the symbols of its own."""
        return hashlib.sha1(self.kallsyms()).digest()

    def is_in_modules(self, addresses: Words) -> bool:
        """Any of these addresses is in a module."""
        if not self._modules.any():
            return False
        found = np.searchsorted(self._starts, addresses, side="right") - 1
        return bool((self._modules[found] & (found >= 0)).any())
