# SPDX-License-Identifier: MIT OR GPL-2.0
"""The kernel in perf.data: its mapping, and a file with its symbols.

The kernel's mapping includes its modules. If modules had their own mappings, perf would
look for the modules' files, and prefer the functions in these files.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Optional

import numpy as np

from ..capture.kallsyms import KERNEL, KernelSymbols
from ..capture.overlaps import NONE
from ..layout import KERNEL_START
from .perf_records import Words, mmap

if TYPE_CHECKING:
    from ..capture.kallsyms import KernelCode

PERFS_NAME = "[kernel.kallsyms]_text"  # perf's name: the kernel, and its first symbol
FIRST = "_text"
END = (1 << 64) - 1


class Kernel:
    """The kernel of a capture; its symbols may be unknown."""

    def __init__(self, symbols: Optional[KernelSymbols]) -> None:
        self._symbols = symbols or KernelSymbols(b"", 0)
        found = list(self._symbols.all())
        self._functions = [symbol for symbol in found if symbol.name]
        self._start = found[0].start if found else KERNEL_START
        self._starts = np.array([symbol.start for symbol in found], np.uint64)
        modules = [symbol.object != KERNEL for symbol in found]
        self._modules = np.array(modules, np.bool_)

    def mapping(self) -> bytes:
        """Returns the MMAP record."""
        # perf shifts addresses if the local kernel's _text is elsewhere; 0 disables
        # this.
        reference = self._start if self._functions else 0
        return mmap(self._start, END - self._start, reference, PERFS_NAME)

    def kallsyms(self) -> bytes:
        """Returns the functions in the format of /proc/kallsyms; empty if unknown."""
        lines = [f"{symbol.start:x} T {symbol.name}\n" for symbol in self._functions]
        if lines and self._functions[0].name != FIRST:
            lines.insert(0, f"{self._start:x} T {FIRST}\n")
        return "".join(lines).encode(errors="replace")

    def identifier(self) -> bytes:
        """Returns an invented build ID, so that perf does not use the local kernel."""
        return hashlib.sha1(self.kallsyms()).digest()

    def is_in_modules(self, addresses: Words) -> bool:
        """Returns whether any of these addresses is in a module."""
        if not self._modules.any():
            return False
        found = np.searchsorted(self._starts, addresses, side="right") - 1
        return bool((self._modules[found] & (found >= 0)).any())

    def misnames(self, code: KernelCode, addresses: Words) -> bool:
        """Returns whether any address is in code with a name that kallsyms() lacks."""
        addresses = np.unique(addresses)
        found = code.find(addresses)
        generated = found != NONE
        names = [code.symbol(index).name for index in found[generated].tolist()]
        known = self._symbols.find(addresses[generated])
        return names != [symbol.name for symbol in known]
