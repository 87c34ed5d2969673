# SPDX-License-Identifier: MIT OR GPL-2.0
"""JIT-compiled functions in perf.data: an ELF file for each process.

perf finds such functions in /tmp/perf-PID.map on the recording machine, or in ELF files
like those that "perf inject --jit" writes. The files written here contain symbols, but
no code.
"""

from __future__ import annotations

import os
import struct
from typing import Optional, Sequence

from ..capture.code import JitRange, JitSymbols
from ..capture.maps import Mapping, ProcessMaps, is_anonymous
from ..text import exact_bytes
from . import perf_records
from .interface import Job

MACHINES = {"x86_64": 62, "aarch64": 183}  # ELF's numbers of 64-bit machines
PAGE = 1 << 12
HEADER, PROGRAM, SECTION, SYMBOL = 64, 56, 64, 24  # bytes of ELF's structures
NAMES = b"\0.text\0.symtab\0.strtab\0"  # of sections; names of functions are appended
TEXT, SYMTAB, STRTAB = 1, 7, 15  # offsets in NAMES
ET_DYN, PT_LOAD, PF_X, PF_R = 3, 1, 1, 4
SHT_SYMTAB, SHT_STRTAB, SHT_NOBITS, SHF_CODE = 2, 3, 8, 6


class JitFiles:
    """Writes the files of an export, and makes the records of their mappings."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._count = 0

    def add(self, symbols: JitSymbols, arch: str) -> Optional[JitFile]:
        """Writes and returns the file of a process; None if that is not possible."""
        functions = symbols.ranges()
        if not functions or arch not in MACHINES or self._job.beside is None:
            return None
        suffix = f".jit{self._count}.so"
        self._count += 1
        base = functions[0].start // PAGE * PAGE
        image = _elf(functions, base, MACHINES[arch])
        self._job.beside(suffix).write_bytes(image)
        return JitFile(f"{os.path.abspath(self._job.target)}{suffix}", base, functions)


class JitFile:
    """The file of a process, and the memory that it describes."""

    def __init__(self, path: str, base: int, functions: Sequence[JitRange]) -> None:
        self._path, self._base = path, base
        self._parts: list[tuple[int, int]] = []
        for function in functions:
            if self._parts and function.start - self._parts[-1][1] < PAGE:
                self._parts[-1] = self._parts[-1][0], function.end
            else:
                self._parts.append((function.start, function.end))

    def records(self, tgid: int, known: Sequence[ProcessMaps]) -> bytes:
        """Returns records that map the file, except where another file is mapped."""
        files = [
            (mapping.start, mapping.end)
            for maps in known[:1]
            for mapping in maps.mappings
            if mapping.build_id or not is_anonymous(mapping.path)
        ]
        return b"".join(
            perf_records.mmap2(
                tgid, Mapping(start, end, start - self._base, self._path, None)
            )
            for start, end in self._parts
            if not any(start < last and first < end for first, last in files)
        )


def _elf(functions: Sequence[JitRange], base: int, machine: int) -> bytes:
    """Returns an ELF file, in which offsets are addresses relative to ``base``."""
    strings, symbols = bytearray(NAMES), bytearray(SYMBOL)
    for function in functions:
        at, size = function.start - base, function.end - function.start
        # A global function in section 1.
        symbols += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, at, size)
        strings += exact_bytes(function.name).replace(b"\0", b" ") + b"\0"
    size = functions[-1].end - base
    at_symbols = HEADER + PROGRAM
    at_strings = at_symbols + len(symbols)
    at_sections = at_strings + len(strings)
    head = struct.pack(
        "<16sHHIQQQIHHHHHH",
        *(b"\x7fELF\2\1\1", ET_DYN, machine, 1, 0, HEADER, at_sections, 0),
        *(HEADER, PROGRAM, 1, SECTION, 4, 3),
    )
    flags = PF_R | PF_X
    program = struct.pack("<IIQQQQQQ", PT_LOAD, flags, 0, 0, 0, size, size, PAGE)
    # Name, type, flags, address, offset, size, link, info, alignment, size of entries.
    sections = [
        (0,) * 10,
        (TEXT, SHT_NOBITS, SHF_CODE, 0, 0, size, 0, 0, 16, 0),
        (SYMTAB, SHT_SYMTAB, 0, 0, at_symbols, len(symbols), 3, 1, 8, SYMBOL),
        (STRTAB, SHT_STRTAB, 0, 0, at_strings, len(strings), 0, 0, 1, 0),
    ]
    headers = b"".join(struct.pack("<IIQQQQIIQQ", *one) for one in sections)
    return head + program + bytes(symbols) + bytes(strings) + headers
