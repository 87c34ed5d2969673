# SPDX-License-Identifier: MIT OR GPL-2.0
"""The symbols of an ELF file, looked up for many addresses at once."""

from __future__ import annotations

import ctypes as c
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Optional

import numpy as np

from ..layout import NDArray
from .intervals import Intervals, U64s
from .libdw import Shdr, libraries
from .location import Symbol

ELFCLASS32 = 1
SHT_SYMTAB, SHT_NOBITS, SHT_DYNSYM, SHF_EXECINSTR = 2, 8, 11, 0x4
SHF_COMPRESSED, ELFCOMPRESS_ZSTD = 0x800, 2
SHN_UNDEF, SHN_LORESERVE, SHN_XINDEX = 0, 0xFF00, 0xFFFF
STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_COMMON, STT_GNU_IFUNC = 0, 1, 2, 5, 10
CODE = (STT_NOTYPE, STT_FUNC, STT_GNU_IFUNC)
DATA = (STT_OBJECT, STT_COMMON)

# The fields of Elf64_Sym and Elf32_Sym that are used, in native byte order.
_SYM64 = np.dtype(
    {
        "names": ["name", "info", "shndx", "value", "size"],
        "formats": ["u4", "u1", "u2", "u8", "u8"],
        "offsets": [0, 4, 6, 8, 16],
        "itemsize": 24,
    }
)
_SYM32 = np.dtype(
    {
        "names": ["name", "value", "size", "info", "shndx"],
        "formats": ["u4", "u4", "u4", "u1", "u2"],
        "offsets": [0, 4, 8, 12, 14],
        "itemsize": 16,
    }
)


@dataclass(frozen=True)
class Section:
    """A section with its header."""

    handle: int
    header: Shdr


def sections(elf: int) -> Iterator[Section]:
    """Yields the sections of an Elf object of libelf."""
    library = libraries().elf
    handle = library.elf_nextscn(elf, None)
    while handle:
        header = Shdr()
        library.gelf_getshdr(handle, c.byref(header))  # SHT_NULL on failure
        yield Section(handle, header)
        handle = library.elf_nextscn(elf, handle)


def is_compressed_by_zstd(section: Section) -> bool:
    """Returns whether a section's contents begin with a compression header for zstd."""
    data = libraries().elf.elf_rawdata(section.handle, None)
    if not section.header.sh_flags & SHF_COMPRESSED or not data:
        return False
    text = c.string_at(data.contents.d_buf or 0, 4 * bool(data.contents.d_size >= 4))
    return text == ELFCOMPRESS_ZSTD.to_bytes(4, "little")


def section_names(elf: int) -> set[bytes]:
    """Returns the names of the sections of an Elf object."""
    library, index = libraries().elf, c.c_size_t()
    library.elf_getshdrstrndx(elf, c.byref(index))
    headers = (section.header for section in sections(elf))
    return {library.elf_strptr(elf, index.value, h.sh_name) or b"" for h in headers}


class Table:
    """The symbol table of an Elf object: addresses, sizes and names of symbols."""

    def __init__(self, elf: int, shift: int) -> None:
        """``shift`` is added to addresses. A file without a table has no symbols."""
        self._elf, self._strings = elf, 0
        syms = np.zeros(0, _SYM64)
        found = {s.header.sh_type: s for s in sections(elf)}
        section = found.get(SHT_SYMTAB, found.get(SHT_DYNSYM))
        if section is not None:
            self._strings = section.header.sh_link
            syms = _syms(elf, section)
        shndx = syms["shndx"]
        here = (shndx != SHN_UNDEF) & ((shndx < SHN_LORESERVE) | (shndx == SHN_XINDEX))
        syms = syms[here]
        self.starts: U64s = syms["value"].astype(np.uint64) + np.uint64(shift % 2**64)
        self.sizes: U64s = syms["size"].astype(np.uint64)
        self.types: NDArray[Any] = syms["info"] & 0xF
        self.bindings: NDArray[Any] = syms["info"] >> 4
        self._names: NDArray[Any] = syms["name"]

    def name(self, index: int) -> str:
        """Returns the name of a symbol, "" if it has none."""
        at = int(self._names[index])
        name = libraries().elf.elf_strptr(self._elf, self._strings, at)
        return bytes(name or b"").decode(errors="replace")


def _syms(elf: int, section: Section) -> NDArray[Any]:
    """Returns all symbols of a table, including the null symbol."""
    library = libraries().elf
    data = library.elf_getdata(section.handle, None)
    if not data or not data.contents.d_buf:
        return np.zeros(0, _SYM64)
    dtype = _SYM32 if library.gelf_getclass(elf) == ELFCLASS32 else _SYM64
    count = data.contents.d_size // dtype.itemsize
    text = c.string_at(data.contents.d_buf, count * dtype.itemsize)
    return np.frombuffer(text, dtype)


class SymbolTable:
    """The symbols of certain types, from one or several tables."""

    def __init__(self, tables: Iterable[Table], types: tuple[int, ...]) -> None:
        self._names: list[tuple[Table, NDArray[np.intp]]] = []
        self._first = [0]  # the index of each table's first symbol
        starts, sizes, bindings = [], [], []
        for table in tables:
            which = np.flatnonzero(np.isin(table.types, types))
            self._names.append((table, which))
            self._first.append(self._first[-1] + which.size)
            starts.append(table.starts[which])
            sizes.append(table.sizes[which])
            bindings.append(table.bindings[which])
        self.starts: U64s = _joined(starts, np.uint64)
        self.ends: U64s = self.starts + _joined(sizes, np.uint64)
        self._bindings: NDArray[Any] = _joined(bindings, np.uint8)
        self._intervals: Optional[Intervals] = None
        self._known: dict[int, Optional[Symbol]] = {-1: None}

    def extend_labels(self, bounds: Iterable[tuple[int, int]]) -> None:
        """Extends labels, which are symbols without a size, up to the next symbol.

        A label is extended only if it is within one of the ``bounds``, and not beyond
        them. Labels inside another symbol are not functions, and are ignored. So are
        labels whose names begin with "$": these are mapping symbols, which tell
        disassemblers whether code or data follows.
        """
        sized = self.ends > self.starts
        around = Intervals(
            self.starts[sized], self.ends[sized], np.zeros(sized.sum(), np.intp)
        )
        labels = np.flatnonzero(~sized)
        labels = labels[around.innermost(self.starts[labels]) < 0]
        named = [not self._name(at).startswith("$") for at in labels.tolist()]
        labels = labels[np.array(named, np.bool_)]
        starts = self.starts[labels]
        every = np.append(np.unique(self.starts), np.uint64(2**64 - 1))
        following = every[np.searchsorted(every[:-1], starts, side="right")]
        ends = starts.copy()
        for start, end in bounds:
            within = (starts >= np.uint64(start)) & (starts < np.uint64(end))
            ends[within] = np.minimum(following[within], np.uint64(end))
        self.ends[labels] = ends

    def find(self, addresses: U64s) -> list[Optional[Symbol]]:
        """Returns the innermost symbol around each address."""
        if self._intervals is None:
            self._intervals = Intervals(self.starts, self.ends, self._ranks())
        found = self._intervals.innermost(addresses)
        for index in np.unique(found).tolist():
            if index not in self._known:
                self._known[index] = self._symbol(index)
        known = self._known
        return [known[index] for index in found.tolist()]

    def _ranks(self) -> NDArray[np.intp]:
        """Returns the symbols' ranks, which decide between symbols with equal starts.

        The symbol with the highest rank is used. Smaller symbols have higher ranks. If
        sizes are equal, global symbols have higher ranks than weak ones, and weak ones
        higher ranks than local ones. If the bindings are equal, too, earlier symbols
        have higher ranks.
        """
        worse = np.select(
            [self._bindings == STB_LOCAL, self._bindings == STB_WEAK], [2, 1], 0
        )
        number = np.arange(self.starts.size)
        order = np.lexsort((number, worse, self.ends - self.starts))
        ranks = np.empty(self.starts.size, np.intp)
        ranks[order] = -number
        return ranks

    def _symbol(self, index: int) -> Optional[Symbol]:
        name = self._name(index)
        start, end = int(self.starts[index]), int(self.ends[index])
        return Symbol(name, start, end) if name else None

    def _name(self, index: int) -> str:
        at = bisect_right(self._first, index) - 1
        table, which = self._names[at]
        return table.name(int(which[index - self._first[at]]))


def _joined(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype), *parts])
