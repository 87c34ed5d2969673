# SPDX-License-Identifier: MIT OR GPL-2.0
"""The location of an address, and how to look it up: options and wanted detail."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Optional, Sequence

from ..capture.maps import FileState

UNKNOWN = "[unknown]"  # anything without a known name
JIT = "[jit]"  # JIT-compiled code


class Detail(Enum):
    """The amount to look up about an address; each member includes those before it.

    With FUNCTION, a location stands for a whole function, and has no ``offset``.
    """

    OBJECT = "object"
    FUNCTION = "function"
    SYMBOL = "symbol"
    LINE = "line"
    INLINES = "inlines"

    def includes(self, other: Detail) -> bool:
        """Returns whether ``other`` is looked up, too."""
        order = list(Detail)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True)
class SymbolOptions:
    """Options for finding symbols.

    ``symfs`` are directories with copies of the mapped files, which are searched first.
    If ``demangle`` is set, names of C++ and Rust are demangled. If ``inlines`` is set,
    views that support it show inlined functions. ``debuginfod`` are the servers; None
    means those in DEBUGINFOD_URLS.
    """

    symfs: Sequence[str] = ()
    demangle: bool = True
    inlines: bool = True
    debuginfod: Optional[str] = None


class Symbol(NamedTuple):
    """A function or an object, from address ``start`` up to but excluding ``end``."""

    name: str
    start: int
    end: int


class Line(NamedTuple):
    """A line of a source file."""

    file: str
    number: int


class Inlined(NamedTuple):
    """A function, by its name in the ELF file, and a source line in the function.

    Unknown values are None.
    """

    function: Optional[str]
    line: Optional[Line]


@dataclass(frozen=True)
class Frame:
    """A function, perhaps inlined, and a source line in it; unknown values are None."""

    function: Optional[str]
    file: Optional[str] = None
    line: Optional[int] = None


# Locations must not change, but with frozen=True creating them would take four times
# as long.
@dataclass(unsafe_hash=True)
class Location:
    """The location of an address.

    ``object`` is a path, "[kernel]", a module as "[name]", "[jit]" or "[unknown]".
    ``symbol`` and ``line`` ("file:line") are None if they are unknown. ``inlines`` has
    the frames of the functions that are inlined at the address, innermost first,
    followed by the function around them. It is empty if no function is inlined.

    The other members are not compared: locations are equal if they are the same line of
    the same function. ``offset`` is the address according to the ELF file's headers;
    for the kernel, the address itself. ``start`` is the address at which the symbol
    starts. ``mangled`` is the symbol's name in the file if it differs from ``symbol``.
    ``build_id`` and ``state`` belong to the file.
    """

    object: str
    symbol: Optional[str] = None
    line: Optional[str] = None
    inlines: tuple[Frame, ...] = ()
    offset: Optional[int] = field(default=None, compare=False)
    start: Optional[int] = field(default=None, compare=False)
    mangled: Optional[str] = field(default=None, compare=False)
    build_id: Optional[bytes] = field(default=None, compare=False)
    state: Optional[FileState] = field(default=None, compare=False)

    def frames(self) -> tuple[Frame, ...]:
        """Returns the frames at the location, innermost first; at least one."""
        if self.inlines:
            return self.inlines
        if self.line is None:
            return (Frame(self.symbol),)
        file, _, line = self.line.rpartition(":")
        return (Frame(self.symbol, file, int(line)),)
