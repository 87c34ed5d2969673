# SPDX-License-Identifier: MIT OR GPL-2.0
"""The part of elfutils' libdw and libelf that symbol resolution needs."""

from __future__ import annotations

import ctypes as c
import os
import stat
from bisect import bisect_right
from functools import cached_property, lru_cache
from typing import Any, Optional

PT_LOAD = 1
PF_X = 0x1


class _Callbacks(c.Structure):
    """Dwfl_Callbacks of <elfutils/libdwfl.h>."""

    _fields_ = [
        ("find_elf", c.c_void_p),
        ("find_debuginfo", c.c_void_p),
        ("section_address", c.c_void_p),
        ("debuginfo_path", c.c_void_p),
    ]


class _Sym(c.Structure):
    """GElf_Sym of <gelf.h>."""

    _fields_ = [
        ("st_name", c.c_uint32),
        ("st_info", c.c_uint8),
        ("st_other", c.c_uint8),
        ("st_shndx", c.c_uint16),
        ("st_value", c.c_uint64),
        ("st_size", c.c_uint64),
    ]


class _Phdr(c.Structure):
    """GElf_Phdr of <gelf.h>."""

    _fields_ = [
        ("p_type", c.c_uint32),
        ("p_flags", c.c_uint32),
        ("p_offset", c.c_uint64),
        ("p_vaddr", c.c_uint64),
        ("p_paddr", c.c_uint64),
        ("p_filesz", c.c_uint64),
        ("p_memsz", c.c_uint64),
        ("p_align", c.c_uint64),
    ]


@lru_cache(maxsize=None)
def _libraries() -> tuple[c.CDLL, c.CDLL, _Callbacks]:
    """libdw and libelf with their prototypes; OSError if they are missing."""
    dw, elf = c.CDLL("libdw.so.1"), c.CDLL("libelf.so.1")
    pointer, address, u64_out = c.c_void_p, c.c_uint64, c.POINTER(c.c_uint64)
    prototypes: list[tuple[Any, Any, list[Any]]] = [
        (dw.dwfl_begin, pointer, [c.POINTER(_Callbacks)]),
        (dw.dwfl_end, None, [pointer]),
        (dw.dwfl_report_begin, None, [pointer]),
        (
            dw.dwfl_report_elf,
            pointer,
            [pointer, c.c_char_p, c.c_char_p, c.c_int, address, c.c_bool],
        ),
        (dw.dwfl_report_end, c.c_int, [pointer, pointer, pointer]),
        (
            dw.dwfl_module_build_id,
            c.c_int,
            [pointer, c.POINTER(c.POINTER(c.c_ubyte)), u64_out],
        ),
        (dw.dwfl_module_getelf, pointer, [pointer, u64_out]),
        (
            dw.dwfl_module_addrinfo,
            c.c_char_p,
            [pointer, address, u64_out, c.POINTER(_Sym), pointer, pointer, pointer],
        ),
        (dw.dwfl_module_getsymtab, c.c_int, [pointer]),
        (
            dw.dwfl_module_getsym,
            c.c_char_p,
            [pointer, c.c_int, c.POINTER(_Sym), pointer],
        ),
        (dw.dwfl_module_getsrc, pointer, [pointer, address]),
        (
            dw.dwfl_lineinfo,
            c.c_char_p,
            [pointer, pointer, c.POINTER(c.c_int), pointer, pointer, pointer],
        ),
        (elf.elf_getphdrnum, c.c_int, [pointer, c.POINTER(c.c_size_t)]),
        (elf.gelf_getphdr, pointer, [pointer, c.c_int, c.POINTER(_Phdr)]),
    ]
    for function, result, arguments in prototypes:
        function.restype, function.argtypes = result, arguments
    callbacks = _Callbacks(
        find_debuginfo=c.cast(dw.dwfl_standard_find_debuginfo, pointer),
        section_address=c.cast(dw.dwfl_offline_section_address, pointer),
    )
    return dw, elf, callbacks


def available() -> bool:
    """libdw is installed."""
    try:
        _libraries()
    except OSError:
        return False
    return True


class ElfFile:
    """An ELF file with its symbols and, if there is any, its debug information.

    It is used as a context manager, which closes it.
    """

    def __init__(self, path: str) -> None:
        """Opens a regular file; OSError if it is not one, ValueError if not ELF."""
        self._dw, self._elf, callbacks = _libraries()
        descriptor = _open_regular(path)
        self._dwfl = self._dw.dwfl_begin(c.byref(callbacks))
        self._dw.dwfl_report_begin(self._dwfl)
        # At base 0, the addresses are those in the file's program headers.
        self._module = self._dw.dwfl_report_elf(
            self._dwfl, b"object", os.fsencode(path), descriptor, 0, True
        )
        self._dw.dwfl_report_end(self._dwfl, None, None)
        if not self._module:
            os.close(descriptor)
            self._dw.dwfl_end(self._dwfl)
            raise ValueError(f"{path} is not an ELF file")
        # Function names by the number of bounds at or below their addresses.
        self._functions: dict[int, str] = {}
        self._segments = self._executable_segments()

    def __enter__(self) -> ElfFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._dw.dwfl_end(self._dwfl)

    def build_id(self) -> Optional[bytes]:
        """The build ID, None if the file has none."""
        bits, address = c.POINTER(c.c_ubyte)(), c.c_uint64()
        length: int = self._dw.dwfl_module_build_id(
            self._module, c.byref(bits), c.byref(address)
        )
        return bytes(bits[:length]) if length > 0 else None

    def address(self, offset: int) -> Optional[int]:
        """The address of the code at that byte of the file, None if it is not code."""
        for segment in self._segments:
            if 0 <= offset - segment.p_offset < segment.p_filesz:
                return int(offset - segment.p_offset + segment.p_vaddr)
        return None

    def function(self, address: int) -> Optional[str]:
        """The function at that address."""
        # libdw searches all symbols each time.
        between = bisect_right(self._bounds, address)
        if between in self._functions:
            return self._functions[between]
        offset, symbol = c.c_uint64(), _Sym()
        name: Optional[bytes] = self._dw.dwfl_module_addrinfo(
            self._module, address, c.byref(offset), c.byref(symbol), None, None, None
        )
        function = name.decode(errors="replace") if name else None
        if function and offset.value < symbol.st_size:
            self._functions[between] = function
        return function

    @cached_property
    def _bounds(self) -> list[int]:
        """Where symbols start and end; between two bounds, symbols do not change."""
        bounds: set[int] = set()
        symbol = _Sym()
        for index in range(self._dw.dwfl_module_getsymtab(self._module)):
            if (
                self._dw.dwfl_module_getsym(self._module, index, c.byref(symbol), None)
                and symbol.st_size
            ):
                bounds |= {symbol.st_value, symbol.st_value + symbol.st_size}
        return sorted(bounds)

    def line(self, address: int) -> Optional[str]:
        """Source file and line, as "file:line", of the code at that address."""
        line = self._dw.dwfl_module_getsrc(self._module, address)
        if not line:
            return None
        number = c.c_int()
        name: Optional[bytes] = self._dw.dwfl_lineinfo(
            line, None, c.byref(number), None, None, None
        )
        return f"{name.decode(errors='replace')}:{number.value}" if name else None

    def _executable_segments(self) -> list[_Phdr]:
        bias, count = c.c_uint64(), c.c_size_t()
        elf = self._dw.dwfl_module_getelf(self._module, c.byref(bias))
        if not elf or self._elf.elf_getphdrnum(elf, c.byref(count)):
            return []
        segments = []
        for index in range(count.value):
            segment = _Phdr()
            if not self._elf.gelf_getphdr(elf, index, c.byref(segment)):
                break
            if segment.p_type == PT_LOAD and segment.p_flags & PF_X:
                segments.append(segment)
        return segments


def _open_regular(path: str) -> int:
    """A descriptor of a regular file; OSError for others, which may block."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is not a regular file")
    return descriptor
