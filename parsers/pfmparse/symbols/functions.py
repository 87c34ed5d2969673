# SPDX-License-Identifier: MIT OR GPL-2.0
"""The functions of a compilation unit, including inlined ones."""

from __future__ import annotations

import ctypes as c
import os
from array import array
from typing import Any, NamedTuple, Optional

import numpy as np

from .intervals import Ids, Intervals, U64s
from .libdw import Attribute, Die, libraries

TAG_LEXICAL_BLOCK, TAG_INLINED, TAG_SUBPROGRAM, TAG_NAMESPACE = 0x0B, 0x1D, 0x2E, 0x39
TAG_TRY_BLOCK, TAG_CATCH_BLOCK = 0x32, 0x25
BLOCKS = frozenset((TAG_LEXICAL_BLOCK, TAG_NAMESPACE, TAG_TRY_BLOCK, TAG_CATCH_BLOCK))
TAG_CLASS, TAG_STRUCTURE, TAG_UNION = 0x02, 0x13, 0x17
TYPES = frozenset((TAG_CLASS, TAG_STRUCTURE, TAG_UNION))
SCOPES = TYPES | {TAG_NAMESPACE, TAG_SUBPROGRAM}
# Languages in which a function's name is complete without the names of the scopes
# around it: unknown, C, assembler, and Go.
FLAT = frozenset((-1, 0x01, 0x02, 0x0C, 0x1D, 0x2C, 0x3E, 0x8001, 0x16))
OF_CODE = BLOCKS | {TAG_SUBPROGRAM, TAG_INLINED}
AT_SPECIFICATION = 0x47
AT_ABSTRACT_ORIGIN, AT_CALL_FILE, AT_CALL_LINE = 0x31, 0x58, 0x59
AT_LINKAGE_NAME, AT_MIPS_LINKAGE_NAME = 0x6E, 0x2007
DEEPEST = 200  # maximum nesting of blocks and functions
NONE = -1


class Call(NamedTuple):
    """The call to an inlined function; ``file`` is an index into the unit's files."""

    file: int
    line: int


class Functions:
    """The functions of a unit that have code, by number.

    When an address of a function is looked up for the first time, the functions that
    are inlined into this function are read.
    """

    def __init__(self, root: Die) -> None:
        """``root`` is the unit's DIE."""
        self._dw = libraries().dw
        self._cu = root.cu
        self._stack = [Die() for _ in range(DEEPEST + 1)]
        self._refs: list[Any] = [c.byref(die) for die in self._stack]
        self._dies = array("Q")  # addresses of the DIEs, by number
        self._parents = array("q")
        self._ranges = Ranges()
        flat = self._dw.dwarf_srclang(c.byref(root)) in FLAT
        self._attribute = _Attributes(flat)
        self._names: dict[int, Optional[str]] = {}
        self._names_of_dies: dict[int, Optional[str]] = {}
        self._read(root, NONE)
        self._outer = self._all = self._ranges.lookup()
        self._is_read = np.zeros(len(self._dies), np.bool_)

    def innermost(self, addresses: U64s) -> Ids:
        """Returns the number of the innermost function at each address, or NONE.

        An inlined function is further inside than the one into which it is inlined.
        """
        outer = np.unique(self._outer.find(addresses))
        if outer.size and outer[0] == NONE:
            # At least one address is in none of the functions that are known. It may be
            # in a function that is declared inside another one, so read inside all.
            outer = np.arange(self._is_read.size)
        new = outer[~self._is_read[outer]]
        if new.size:
            for number in new.tolist():
                self._read(self._die(number), number)
            self._is_read[new] = True
            self._all = self._ranges.lookup()
        return self._all.find(addresses)

    def parent(self, number: int) -> int:
        """Returns the function into which a function is inlined, or NONE."""
        return self._parents[number]

    def name(self, number: int) -> Optional[str]:
        """Returns the linkage name or, without one, the source name with its scopes."""
        if number not in self._names:
            die = self._attribute.die(self._die(number), AT_ABSTRACT_ORIGIN)
            die = die or self._die(number)
            # Read a function's name only once, because it may be inlined many times.
            key = int(die.addr or 0)
            if key not in self._names_of_dies:
                self._names_of_dies[key] = self._attribute.full_name(die)
            self._names[number] = self._names_of_dies[key]
        return self._names[number]

    def call(self, number: int) -> Optional[Call]:
        """Returns the call to an inlined function, None if it is unknown."""
        die = self._die(number)
        file = self._attribute.number(die, AT_CALL_FILE)
        line = self._attribute.number(die, AT_CALL_LINE)
        return None if file is None or line is None else Call(file, line)

    def _die(self, number: int) -> Die:
        return Die(self._dies[number], self._cu, None, 0)

    def _read(self, root: Die, number: int) -> None:
        """Adds the functions that have code and are below ``root`` in the DIE tree.

        ``root`` is the unit, with the ``number`` NONE, or a function with its number.
        """
        child, sibling = self._dw.dwarf_child, self._dw.dwarf_siblingof
        tag_of, refs, stack = self._dw.dwarf_tag, self._refs, self._stack
        parents = [number] * (DEEPEST + 1)
        depth = 1
        if child(c.byref(root), refs[1]):
            return
        while depth:
            tag = tag_of(refs[depth])
            if tag in OF_CODE:
                parents[depth + 1] = parents[depth]
                inside = tag in BLOCKS
                if not inside and self._ranges.add(refs[depth], len(self._dies)):
                    parents[depth + 1] = len(self._dies)
                    inlined = tag == TAG_INLINED
                    self._dies.append(stack[depth].addr)
                    self._parents.append(parents[depth] if inlined else NONE)
                    inside = number != NONE
                if inside and depth + 1 < DEEPEST:
                    if child(refs[depth], refs[depth + 1]) == 0:
                        depth += 1
                        continue
            while depth and sibling(refs[depth], refs[depth]):
                depth -= 1


class Ranges:
    """Collects the address ranges of DIEs."""

    def __init__(self) -> None:
        self._starts, self._ends, self._ids = array("Q"), array("Q"), array("q")
        self._find = libraries().dw.dwarf_ranges
        self._base, self._start, self._end = c.c_uint64(), c.c_uint64(), c.c_uint64()
        self._refs = c.byref(self._base), c.byref(self._start), c.byref(self._end)

    def add(self, die: Any, number: int) -> bool:
        """Adds the ranges of a DIE; returns False if it has none.

        ``die`` is a reference, as returned by byref().
        """
        find, refs, at = self._find, self._refs, c.c_ssize_t(0)
        at.value = find(die, at, *refs)
        if at.value <= 0:
            return False
        while at.value > 0:
            self._starts.append(self._start.value)
            self._ends.append(self._end.value)
            self._ids.append(number)
            # 1 means that this is the only range; a larger result is where to continue.
            at.value = find(die, at, *refs) if at.value > 1 else 0
        return True

    def lookup(self) -> Lookup:
        """Returns a look-up table of all ranges that have been added so far."""
        starts, ends = np.array(self._starts, np.uint64), np.array(
            self._ends, np.uint64
        )
        return Lookup(starts, ends, np.array(self._ids, np.intp))


class Lookup:
    """Ranges with numbers.

    If several ranges begin at the same address, the one with the highest number counts
    as the innermost.
    """

    def __init__(self, starts: U64s, ends: U64s, numbers: Ids) -> None:
        """All arrays have shape (n,); a number may have several ranges."""
        self._numbers = np.append(numbers, NONE)
        self._intervals = Intervals(starts, ends, numbers)

    def find(self, addresses: U64s) -> Ids:
        """Returns the number of the innermost range around each address, or NONE."""
        return self._numbers[self._intervals.innermost(addresses)]


class _Attributes:
    """Reads attributes of DIEs."""

    def __init__(self, flat: bool) -> None:
        """``flat`` is set if the language has no scopes, such as namespaces."""
        self._dw, self._flat = libraries().dw, flat
        self._attribute, self._value = Attribute(), c.c_uint64()
        self._at, self._out = c.byref(self._attribute), c.byref(self._value)

    def number(self, die: Die, name: int) -> Optional[int]:
        """Returns the value of a numeric attribute, or None."""
        if not self._dw.dwarf_attr(c.byref(die), name, self._at):
            return None
        failed = self._dw.dwarf_formudata(self._at, self._out)
        return None if failed else self._value.value

    def die(self, die: Die, name: int) -> Optional[Die]:
        """Returns the DIE to which an attribute refers, or None."""
        found = Die()
        if not self._dw.dwarf_attr(c.byref(die), name, self._at):
            return None
        return found if self._dw.dwarf_formref_die(self._at, c.byref(found)) else None

    def full_name(self, die: Die) -> Optional[str]:
        """Returns the linkage name or, without one, the source name with its scopes."""
        for kind in (AT_LINKAGE_NAME, AT_MIPS_LINKAGE_NAME):
            if self._dw.dwarf_attr_integrate(c.byref(die), kind, self._at):
                name = self._dw.dwarf_formstring(self._at)
                if name:
                    return bytes(name).decode(errors="replace")
        own = self._name(die)
        if own is None or self._flat:
            return own
        outer = self._scopes(self.die(die, AT_SPECIFICATION) or die)
        return "::".join([*outer, own])

    def _name(self, die: Die) -> Optional[str]:
        name = self._dw.dwarf_diename(c.byref(die))
        return bytes(name).decode(errors="replace") if name else None

    def _scopes(self, die: Die) -> list[str]:
        """Returns the names of the scopes around a DIE, outermost first."""
        found = c.POINTER(Die)()
        count = self._dw.dwarf_getscopes_die(c.byref(die), c.byref(found))
        names = []
        for scope in found[1 : max(1, count)]:
            tag = self._dw.dwarf_tag(c.byref(scope))
            if tag in SCOPES:
                names.append(self._scope(scope, tag))
        self._dw.free(found)
        return names[::-1]

    def _scope(self, die: Die, tag: int) -> str:
        """Returns the name of a scope; for an unnamed type, where it is declared."""
        name = self._name(die)
        if tag == TAG_NAMESPACE:
            return name or "(anonymous namespace)"
        if name is not None and not name.startswith("<lambda"):
            return name
        file = bytes(self._dw.dwarf_decl_file(c.byref(die)) or b"?")
        place = [os.path.basename(file).decode(errors="replace")]
        for read in (self._dw.dwarf_decl_line, self._dw.dwarf_decl_column):
            number = c.c_int()
            if read(c.byref(die), c.byref(number)) == 0:
                place.append(str(number.value))
        return f"{{unnamed at {':'.join(place)}}}"
