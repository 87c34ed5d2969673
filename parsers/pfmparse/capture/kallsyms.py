# SPDX-License-Identifier: MIT OR GPL-2.0
"""Kernel symbols: the KSYM chunk, which is the text of /proc/kallsyms."""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple

import numpy as np

from ..errors import PfmParseError
from ..layout import KERNEL_START, NDArray

KERNEL = "[kernel]"

# The assumed maximum size of a function. If the closest symbol before an address is
# further away, the function at the address is unknown.
MAX_FUNCTION = 64 * 1024

_LINE = re.compile(r"([0-9a-f]+) (\S) (\S+)(?:[ \t]+(\[\S+\]))?")
_TEXT_TYPES = "tTwW"


class KernelSymbol(NamedTuple):
    """The name, object and address of a function; other symbols have the name ""."""

    name: str
    object: str
    start: int


NO_SYMBOL = KernelSymbol("", KERNEL, 0)


class KernelSymbols:
    """Functions of the kernel and its modules, by address."""

    def __init__(self, text: bytes, offset: int) -> None:
        """Parses the text, which starts at byte ``offset`` of the file."""
        # The address, and further sort keys for several names of the same address.
        symbols: list[tuple[int, bool, bool, int, str, str]] = []
        for number, line in enumerate(text.decode(errors="replace").split("\n"), 1):
            if not line:
                continue
            match = _LINE.fullmatch(line)
            if match is None:
                raise PfmParseError(f"KSYM, line {number}: not a symbol", offset)
            address, kind, name, module = match.groups()
            start = int(address, 16)
            if KERNEL_START <= start < 1 << 64:
                local, alias = kind.islower(), name.startswith("_")
                shown = name if kind in _TEXT_TYPES else ""
                where = module or KERNEL
                symbols.append((start, local, alias, number, shown, where))
        symbols.sort(reverse=True)
        best = {symbol[0]: symbol for symbol in symbols}
        self._symbols = [
            KernelSymbol(*best[start][4:], start) for start in sorted(best)
        ]
        self._starts = np.array(sorted(best), np.uint64)

    def all(self) -> Iterator[KernelSymbol]:
        """Returns all symbols by address; those other than functions have no name."""
        return iter(self._symbols)

    def find(self, addresses: NDArray[np.uint64]) -> list[KernelSymbol]:
        """Returns the function of each address, or NO_SYMBOL."""
        found = np.searchsorted(self._starts, addresses, side="right") - 1
        near = found >= 0
        near[near] = addresses[near] - self._starts[found[near]] < MAX_FUNCTION
        return [
            self._symbols[at] if ok else NO_SYMBOL
            for at, ok in zip(found.tolist(), near.tolist())
        ]
