# SPDX-License-Identifier: MIT OR GPL-2.0
"""An ELF file: its code, symbols, and debug information."""

from __future__ import annotations

import ctypes as c
import os
import stat
import struct
import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence

import numpy as np

from ..capture.json_node import U64_MAX
from ..layout import NDArray
from . import symbol_table
from .debuginfod import URLS, Debuginfod, environment
from .intervals import U64s
from .libdw import Callbacks, Ehdr, FindDebuginfo, Phdr, Sym, libraries
from .location import Inlined, Line, Symbol
from .symbol_table import SymbolTable, Table

if TYPE_CHECKING:
    from .debug_info import DebugInfo, Row

PT_LOAD, PT_NOTE = 1, 4
NOTE = struct.Struct("<III")  # sizes of the owner's name and of the contents, type
GNU_BUILD_ID = (3, b"GNU\0")  # type and owner
GO_BUILD_ID = (4, b"Go\0\0")
PF_X = 0x1
ELF_T_BYTE = 0
# Where libdw looks for debug information: in the file's directory, in its subdirectory
# .debug, and below /usr/lib/debug, by build ID or by the file's path.
DEBUG = ("", ".debug", "/usr/lib/debug")


class ElfFile:
    """An ELF file with its symbols and, if available, its debug information.

    Addresses are the same as in the file's program headers. The file is closed when the
    object is deleted, or by its context manager.
    """

    def __init__(
        self,
        path: str,
        debuginfod: Optional[Debuginfod] = None,
        debug: Sequence[str] = (),
    ) -> None:
        """Opens a file.

        Raises OSError if it is not a regular file, and ValueError if it is not an ELF
        file.

        ``debug`` are additional directories like /usr/lib/debug. Debug information that
        is not found locally is requested from ``debuginfod``.
        """
        self._dw, self._elf_library = libraries()
        self._path = path
        self._debuginfod = debuginfod or Debuginfod("", print)
        descriptor = _open_regular(path)
        callbacks = self._callbacks(":".join([*DEBUG, *debug]))
        self._dwfl = self._dw.dwfl_begin(c.byref(callbacks))
        self._end = weakref.finalize(self, _end, self._dwfl, callbacks)
        self._dw.dwfl_report_begin(self._dwfl)
        # With base 0, addresses are equal to those in the file's program headers.
        self._module = self._dw.dwfl_report_elf(
            self._dwfl, b"object", os.fsencode(path), descriptor, 0, True
        )
        self._dw.dwfl_report_end(self._dwfl, None, None)
        if not self._module:
            os.close(descriptor)
            self._end()
            raise ValueError(f"{path} is not an ELF file")
        bias = c.c_uint64()
        self._elf = self._dw.dwfl_module_getelf(self._module, c.byref(bias)) or 0
        self._segments = list(self._headers(PT_LOAD))
        # files.py sets this to the path of a file with the same build ID that has more
        # symbols or debug information.
        self.debug_file: Optional[str] = None

    def __enter__(self) -> ElfFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def machine(self) -> int:
        """The machine of the code: EM_X86_64, EM_AARCH64 and others of <elf.h>."""
        header = Ehdr()
        self._elf_library.gelf_getehdr(self._elf, c.byref(header))
        return int(header.e_machine)

    @cached_property
    def has_code(self) -> bool:
        """False if the file only has the debug information of another file."""
        return not any(
            section.header.sh_flags & symbol_table.SHF_EXECINSTR
            and section.header.sh_type == symbol_table.SHT_NOBITS
            for section in symbol_table.sections(self._elf)
        )

    @cached_property
    def wealth(self) -> int:
        """A rank of the file by how much it tells about addresses; higher is better."""
        names = symbol_table.section_names(self._elf)
        has_lines = not names.isdisjoint((b".debug_info", b".zdebug_info"))
        return 2 * has_lines + (b".symtab" in names)

    def place_code(self, offset: Optional[int]) -> None:
        """Calculates the offsets of the segments of code in the original file.

        Call this for a file that has only the debug information of an original file,
        which has the code. Such a file's program headers do not contain these offsets.
        ``offset`` is where the first page of code is in the original file, None if that
        is unknown. Segments without code are dropped.
        """
        first = min((segment.p_vaddr for segment in self._segments), default=0)
        self._segments = [s for s in self._segments if s.p_flags & PF_X]
        for segment in self._segments:
            if offset is None:
                offset = segment.p_vaddr - first
            align = max(1, segment.p_align)
            segment.p_offset = offset + (segment.p_vaddr - offset) % align
            segment.p_filesz = segment.p_memsz

    def build_id(self) -> Optional[bytes]:
        """Returns the build ID, None if the file has none."""
        bits, address = c.POINTER(c.c_ubyte)(), c.c_uint64()
        length: int = self._dw.dwfl_module_build_id(
            self._module, c.byref(bits), c.byref(address)
        )
        # libdw ignores short build IDs, so look for the note here, too.
        return bytes(bits[:length]) if length > 0 else self._note(GNU_BUILD_ID)

    def go_build_id(self) -> Optional[str]:
        """Returns the ID in the note of Go's linker, or None."""
        found = self._note(GO_BUILD_ID)
        return None if found is None else found.decode("utf-8", "replace")

    def _note(self, wanted: tuple[int, bytes]) -> Optional[bytes]:
        """Returns the contents of a note with this type and owner, or None."""
        for segment in self._headers(PT_NOTE):
            notes = self._read(segment.p_offset, segment.p_filesz)
            while len(notes) > NOTE.size:
                owner, size, kind = NOTE.unpack_from(notes)
                begin = NOTE.size + -(-owner // 4) * 4
                if (kind, notes[NOTE.size : begin]) == wanted:
                    return notes[begin : begin + size]
                notes = notes[begin + -(-size // 4) * 4 :]
        return None

    def addresses(
        self, offsets: U64s, code: bool = True
    ) -> tuple[U64s, NDArray[np.bool_]]:
        """Returns the addresses of offsets in the file, and a mask of valid offsets.

        If ``code`` is set, only offsets of code are valid. Otherwise offsets in all
        segments are valid. These include the offsets after the end of a segment's data
        in the file, at which zero-initialized data (bss) is mapped.
        """
        found, there = offsets.copy(), np.zeros(offsets.size, np.bool_)
        for segment in self._segments:
            if segment.p_flags & PF_X or not code:
                _place(segment, segment.p_filesz, offsets, found, there)
        if not code:
            for segment in self._segments:
                _place(segment, segment.p_memsz, offsets, found, there)
        return found, there

    def functions(self, addresses: U64s) -> list[Optional[Symbol]]:
        """Returns the function at each address."""
        return self._functions.find(addresses)

    def objects(self, addresses: U64s) -> list[Optional[Symbol]]:
        """Returns the variable at each address."""
        return self._objects.find(addresses)

    def lines(self, addresses: U64s) -> list[Optional[Line]]:
        """Returns the source line of the code at each address."""
        if self._debug_info is None:
            return [None] * addresses.size
        return self._debug_info.lines(addresses)

    def lacks(self) -> str:
        """Returns why debug information cannot be read; "" if no reason is known."""
        info = self._debug_info
        if info is not None and not info.is_empty():
            return ""
        found = symbol_table.sections(info.elf if info else self._elf)
        if any(map(symbol_table.is_compressed_by_zstd, found)):
            return "is compressed with zstd, which this libdw cannot read"
        return ""

    def inlines(self, addresses: U64s) -> list[tuple[Inlined, ...]]:
        """Returns the functions at each address, from the innermost to the outermost.

        Only the last function is not inlined. The result is empty for addresses without
        inlined functions.
        """
        if self._debug_info is None:
            return [()] * addresses.size
        return self._debug_info.inlines(addresses)

    def rows(self, start: int, end: int) -> list[Row]:
        """Returns the rows of line tables from ``start`` up to ``end``, by address."""
        return [] if self._debug_info is None else self._debug_info.rows(start, end)

    def source(self, path: str) -> Optional[str]:
        """Fetches a source file from a server; returns None if no server has it."""
        return self._debuginfod.source(self.build_id() or b"", path)

    def code(self, start: int, end: int) -> bytes:
        """Returns the code from ``start`` up to ``end`` or to the segment's end."""
        for segment in self._segments if self.has_code else ():
            at = start - segment.p_vaddr
            if 0 <= at < segment.p_filesz:
                size = min(end - start, segment.p_filesz - at)
                return self._read(segment.p_offset + at, size)
        return b""

    def _read(self, offset: int, size: int) -> bytes:
        data = self._elf_library.elf_getdata_rawchunk(
            self._elf, offset, size, ELF_T_BYTE
        )
        return c.string_at(data.contents.d_buf, size) if data else b""

    @cached_property
    def _functions(self) -> SymbolTable:
        table = SymbolTable(self._tables, symbol_table.CODE)
        headers = [section.header for section in symbol_table.sections(self._elf)]
        table.extend_labels(
            (header.sh_addr, min(header.sh_addr + header.sh_size, U64_MAX))
            for header in headers
            if header.sh_flags & symbol_table.SHF_EXECINSTR
        )
        return table

    @cached_property
    def _objects(self) -> SymbolTable:
        return SymbolTable(self._tables, symbol_table.DATA)

    @cached_property
    def _tables(self) -> list[Table]:
        """Returns the symbol tables that libdw uses, from the file or its debug file.

        libdw may use a second table, which is compressed (.gnu_debugdata). libdw lists
        the local symbols of both tables, then the other symbols of both, and tells from
        which table a symbol is. So it is enough to ask about four symbols: the first
        and the last local one, and the first and the last other one.
        """
        count = self._dw.dwfl_module_getsymtab(self._module)
        self._debuginfod.check()
        border = self._dw.dwfl_module_getsymtab_first_global(self._module)
        tables: dict[int, Table] = {}
        for index in (1, border - 1, border, count - 1):
            if not 0 < index < count:
                continue
            sym, elf, bias = Sym(), c.c_void_p(), c.c_uint64()
            refs = c.byref(sym), None, None, c.byref(elf), c.byref(bias)
            self._dw.dwfl_module_getsym_info(self._module, index, *refs)
            if elf.value and elf.value not in tables:
                tables[elf.value] = Table(elf.value, bias.value)
        return list(tables.values())

    @cached_property
    def _debug_info(self) -> Optional[DebugInfo]:
        bias = c.c_uint64()
        dwarf = self._dw.dwfl_module_getdwarf(self._module, c.byref(bias))
        self._debuginfod.check()
        if not dwarf:
            return None
        from .debug_info import DebugInfo  # slow to import, and only lines need it

        return DebugInfo(dwarf, bias.value)

    def _callbacks(self, debug: str) -> Callbacks:
        """Returns the call-backs for libdw, which do not keep this object alive."""
        this = weakref.ref(self)

        def find(*arguments: Any) -> int:
            elf_file = this()
            return -1 if elf_file is None else elf_file._find_debuginfo(*arguments)

        return Callbacks(
            find_debuginfo=FindDebuginfo(find),
            section_address=c.cast(self._dw.dwfl_offline_section_address, c.c_void_p),
            debuginfo_path=c.pointer(c.c_char_p(os.fsencode(debug))),
        )

    def _find_debuginfo(self, *arguments: Any) -> int:
        """Finds the file with the debug information, locally or on a server.

        Returns a descriptor, or -1. Must not raise an exception: ctypes would drop it
        and return an arbitrary descriptor to libdw.
        """
        try:
            if self.debug_file is not None and arguments[4] is not None:
                return _hand_over(self.debug_file, arguments[-1])
            with environment(URLS, ""):
                found: int = self._dw.dwfl_standard_find_debuginfo(*arguments)
            # Without a name, libdw is looking for a file that several debug files
            # share.
            if found >= 0 or arguments[4] is None:
                return found
            path = self._debuginfod.debuginfo(self.build_id() or b"", self._path)
            if path is None:
                return -1
            return _hand_over(path, arguments[-1])
        except OSError:
            return -1
        except KeyboardInterrupt:
            self._debuginfod.interrupted = True
            return -1

    def _headers(self, kind: int) -> Iterator[Phdr]:
        """Yields the program headers of a type."""
        # No check is needed: if libelf fails, the number is 0, or a segment's type is
        # PT_NULL.
        count = c.c_size_t()
        self._elf_library.elf_getphdrnum(self._elf, c.byref(count))
        for index in range(count.value):
            segment = Phdr()
            self._elf_library.gelf_getphdr(self._elf, index, c.byref(segment))
            if segment.p_type == kind:
                yield segment


def _place(
    segment: Phdr,
    size: int,
    offsets: U64s,
    found: U64s,
    there: NDArray[np.bool_],
) -> None:
    """Sets the address of each offset that is in a segment and has no address yet."""
    start = np.uint64(segment.p_offset)
    inside = ~there & (offsets >= start) & (offsets - start < np.uint64(size))
    shift = np.uint64((segment.p_vaddr - segment.p_offset) % 2**64)
    found[inside] = offsets[inside] + shift
    there |= inside


def _end(dwfl: int, callbacks: Callbacks) -> None:
    """Closes a Dwfl; ``callbacks`` must be kept alive until then, by this argument."""
    libraries().dw.dwfl_end(dwfl)


def _hand_over(path: str, name: Any) -> int:
    """Returns a descriptor of a file for libdw, and stores its name for libdw.

    Raises OSError if that fails.
    """
    descriptor = _open_regular(path)
    name[0] = libraries().dw.strdup(os.fsencode(path))
    return descriptor


def _open_regular(path: str) -> int:
    """Opens a regular file; raises OSError for others, which could block a read."""
    # Check the type first, because opening a device can have side effects.
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(f"{path} is not a regular file")
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
