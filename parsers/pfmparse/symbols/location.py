# SPDX-License-Identifier: MIT OR GPL-2.0
"""Where an address lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Optional

UNKNOWN = "[unknown]"  # whatever has no name that is known
JIT = "[jit]"  # code that was made at run time


class Detail(Enum):
    """How much to look up about a place; each includes those before it."""

    OBJECT = "object"
    SYMBOL = "symbol"
    LINE = "line"
    INLINES = "inlines"

    def includes(self, other: Detail) -> bool:
        """That is looked up, too."""
        order = list(Detail)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True)
class Frame:
    """A function, inlined or not, and where in it; None is unknown."""

    function: Optional[str]
    file: Optional[str] = None
    line: Optional[int] = None


@dataclass(frozen=True)
class Location:
    """Where an address lies.

    ``object`` is a path, "[kernel]", a module as "[name]", "[jit]" or "[unknown]";
    ``symbol`` and ``line`` ("file:line") are None where they are not known.
    ``inlines`` are the frames of the functions that are inlined there, innermost
    first, and then of the one that they are inlined into; there are none if nothing
    is.

    ``offset`` is the address as the ELF file's own headers and symbols count, or the
    kernel's; ``start`` is the same of the symbol, ``mangled`` its name if ``symbol``
    is another; ``build_id`` is the file's. They make no difference: locations are equal
    if they are the same line of the same function.
    """

    object: str
    symbol: Optional[str] = None
    line: Optional[str] = None
    inlines: tuple[Frame, ...] = ()
    offset: Optional[int] = field(default=None, compare=False)
    start: Optional[int] = field(default=None, compare=False)
    mangled: Optional[str] = field(default=None, compare=False)
    build_id: Optional[bytes] = field(default=None, compare=False)

    def frames(self) -> tuple[Frame, ...]:
        """The frames there, innermost first; at least one."""
        if self.inlines:
            return self.inlines
        if self.line is None:
            return (Frame(self.symbol),)
        file, _, line = self.line.rpartition(":")
        return (Frame(self.symbol, file, int(line)),)
