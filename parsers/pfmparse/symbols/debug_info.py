# SPDX-License-Identifier: MIT OR GPL-2.0
"""Debug information of an ELF file: source lines and inlined functions."""

from __future__ import annotations

import ctypes as c
from functools import cached_property
from typing import Iterator, NamedTuple, Optional, Sequence

import numpy as np

from ..layout import split
from .functions import NONE, Call, Functions, Ranges
from .intervals import U64s
from .libdw import Die, libraries
from .location import Inlined, Line


class Row(NamedTuple):
    """A row of a line table: the line of the code from ``address`` to the next row."""

    address: int
    line: Optional[Line]


class DebugInfo:
    """The compilation units of a Dwarf object of libdw."""

    def __init__(self, dwarf: int, shift: int) -> None:
        """``shift`` is added to the addresses in the debug information."""
        self._shift = np.uint64(shift % 2**64)
        self._units = list(_units(dwarf))
        # The Elf object with the debug information.
        self.elf: int = libraries().dw.dwarf_getelf(dwarf) or 0
        ranges = Ranges()
        for number, unit in enumerate(self._units):
            ranges.add(c.byref(unit.die), number)
        self._ranges = ranges.lookup()

    def is_empty(self) -> bool:
        """Returns True if the file has no units that libdw can read."""
        return not self._units

    def lines(self, addresses: U64s) -> list[Optional[Line]]:
        """Returns the source line of the code at each address."""
        found: list[Optional[Line]] = [None] * addresses.size
        for unit, which, ats in self._by_unit(addresses):
            for index, line in zip(which, unit.lines(ats)):
                found[index] = line
        return found

    def inlines(self, addresses: U64s) -> list[tuple[Inlined, ...]]:
        """Returns the functions at each address, from the innermost to the outermost.

        Only the last function is not inlined. The result is empty for addresses without
        inlined functions.
        """
        found: list[tuple[Inlined, ...]] = [()] * addresses.size
        for unit, which, ats in self._by_unit(addresses):
            for index, inlines in zip(which, unit.inlines(ats)):
                found[index] = inlines
        return found

    def rows(self, start: int, end: int) -> list[Row]:
        """Returns the rows of line tables from ``start`` up to ``end``, by address."""
        bounds = np.array([start], np.uint64)
        for unit, _, ats in self._by_unit(bounds):
            shift = start - int(ats[0])
            rows = unit.rows(start - shift, end - shift)
            return [Row(row.address + shift, row.line) for row in rows]
        return []

    def _by_unit(self, addresses: U64s) -> Iterator[tuple[Unit, list[int], U64s]]:
        """Yields each unit with code at some of the addresses, and these addresses.

        They are yielded twice: as indices into ``addresses``, and as addresses in the
        debug information, that is, without the shift.
        """
        addresses = addresses - self._shift
        found = self._ranges.find(addresses)
        which = np.flatnonzero(found != NONE)
        for part in split(which, found[which]):
            yield self._units[found[part[0]]], part.tolist(), addresses[part]


class Unit:
    """A compilation unit."""

    def __init__(self, die: Die, root: Die) -> None:
        """``die`` is the unit's DIE, and ``root`` the DIE that has its functions.

        These are different DIEs if the unit's DWARF is split.
        """
        self.die = die
        self._root = root
        self._known: dict[int, Optional[Line]] = {}
        self._callers: dict[int, tuple[Inlined, ...]] = {}

    def lines(self, addresses: U64s) -> list[Optional[Line]]:
        """Returns the source line of the code at each address."""
        find, unit, known = (
            libraries().dw.dwarf_getsrc_die,
            c.byref(self.die),
            self._known,
        )
        found = []
        for address in addresses.tolist():
            row = find(unit, address) or 0
            if row not in known:
                known[row] = _line(row) if row else None
            found.append(known[row])
        return found

    def inlines(self, addresses: U64s) -> list[tuple[Inlined, ...]]:
        """Implements DebugInfo.inlines() for this unit."""
        functions = self._functions
        found = functions.innermost(addresses)
        chains: list[tuple[Inlined, ...]] = [()] * addresses.size
        known: dict[tuple[int, Optional[Line]], tuple[Inlined, ...]] = {}
        for index, (number, line) in enumerate(
            zip(found.tolist(), self.lines(addresses))
        ):
            if number == NONE or functions.parent(number) == NONE:
                continue
            chain = known.get((number, line))
            if chain is None:
                own = Inlined(functions.name(number), line)
                chain = known[number, line] = (own, *self._called_from(number))
            chains[index] = chain
        return chains

    def rows(self, start: int, end: int) -> list[Row]:
        """Implements DebugInfo.rows() for this unit."""
        dw = libraries().dw
        lines, count = c.c_void_p(), c.c_size_t()
        if dw.dwarf_getsrclines(c.byref(self.die), c.byref(lines), c.byref(count)):
            return []
        at = _Rows(lines.value or 0, count.value)
        first = max(0, at.after(start) - 1)
        found: list[Row] = []
        for number in range(first, at.after(end - 1)):
            address, line = at.row(number)
            if found and found[-1].address == address:
                # If several rows have the same address, only the last one has code.
                found.pop()
            found.append(Row(address, line))
        return found

    @cached_property
    def _functions(self) -> Functions:
        return Functions(self._root)

    @cached_property
    def _files(self) -> Sequence[str]:
        dw = libraries().dw
        files, count = c.c_void_p(), c.c_size_t()
        if dw.dwarf_getsrcfiles(c.byref(self._root), c.byref(files), c.byref(count)):
            return []
        names = [dw.dwarf_filesrc(files, at, None, None) for at in range(count.value)]
        return [bytes(name or b"").decode(errors="replace") for name in names]

    def _called_from(self, number: int) -> tuple[Inlined, ...]:
        """Returns the functions into which a function is inlined, with source lines."""
        known = self._callers.get(number)
        if known is None:
            functions = self._functions
            caller = functions.parent(number)
            if caller == NONE:
                return ()
            own = Inlined(functions.name(caller), self._line_of(functions.call(number)))
            known = self._callers[number] = (own, *self._called_from(caller))
        return known

    def _line_of(self, call: Optional[Call]) -> Optional[Line]:
        if call is None or call.file >= len(self._files):
            return None
        return Line(self._files[call.file], call.line)


class _Rows:
    """A line table, sorted by address."""

    def __init__(self, lines: int, count: int) -> None:
        self._dw, self._lines, self._count = libraries().dw, lines, count

    def after(self, address: int) -> int:
        """Returns the number of rows whose address is at most ``address``."""
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if self._address(middle) <= address:
                low = middle + 1
            else:
                high = middle
        return low

    def row(self, number: int) -> Row:
        """Returns the row with this index."""
        row, ends = self._dw.dwarf_onesrcline(self._lines, number), c.c_bool()
        self._dw.dwarf_lineendsequence(row, c.byref(ends))
        return Row(self._address(number), None if ends.value else _line(row))

    def _address(self, number: int) -> int:
        row, address = self._dw.dwarf_onesrcline(self._lines, number), c.c_uint64()
        self._dw.dwarf_lineaddr(row, c.byref(address))
        return address.value


def _units(dwarf: int) -> Iterator[Unit]:
    """Yields all units; with split DWARF, a unit's ``root`` is not its ``die``."""
    dw, unit, following = libraries().dw, c.c_void_p(), c.c_void_p()
    while True:
        die, apart = Die(), Die()
        refs = (c.byref(following), None, None, c.byref(die), c.byref(apart))
        if dw.dwarf_get_units(dwarf, unit, *refs):
            return
        yield Unit(die, apart if apart.addr else die)
        unit.value = following.value


def _line(row: int) -> Optional[Line]:
    dw, number = libraries().dw, c.c_int()
    name = dw.dwarf_linesrc(row, None, None)
    if not name or dw.dwarf_lineno(row, c.byref(number)):
        return None
    return Line(bytes(name).decode(errors="replace"), number.value)
