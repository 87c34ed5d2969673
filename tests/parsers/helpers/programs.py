# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compile programs for tests, and read them with pyelftools."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from elftools.elf.elffile import ELFFile  # type: ignore[import]
from helpers.writers import Json, mapping

SOURCE = Path(__file__).parent / "hotspots.c"
LOAD = 0x555500000000  # load address in the mappings below


@dataclass(frozen=True)
class Program:
    """A compiled program: its code mapping and its symbols."""

    path: Path
    build_id: str
    symbols: dict[str, int]  # file offset of each function
    mapping: Json
    shift: int  # file offset minus virtual address

    def ip(self, symbol: str) -> int:
        """Return an address within the function's code, where the program is mapped."""
        mapped = self.mapping
        at = self.symbols[symbol] - int(mapped["offset"]) + 1
        return int(mapped["start"]) + at

    def address(self, symbol: str) -> int:
        """Return the function's virtual address in the file."""
        return self.symbols[symbol] - self.shift

    def offset_of(self, symbol: str) -> int:
        """Return a symbol's file offset, which for .bss is beyond the file's data."""
        with open(self.path, "rb") as stream:
            elf = ELFFile(stream)
            table = elf.get_section_by_name(".symtab")
            address: int = table.get_symbol_by_name(symbol)[0]["st_value"]
            for segment in elf.iter_segments("PT_LOAD"):
                if 0 <= address - segment["p_vaddr"] < segment["p_memsz"]:
                    return int(address - segment["p_vaddr"] + segment["p_offset"])
        raise ValueError(f"{symbol} is in no segment")


def run(*command: object) -> None:
    """Run a command; raise an error if it fails."""
    subprocess.run([str(word) for word in command], check=True)


def compiled(
    path: Path, *options: str, source: Path = SOURCE, compiler: Optional[str] = None
) -> Program:
    """Compile a program; return its description, which is read with pyelftools."""
    compiler = compiler or ("gcc" if source.suffix == ".c" else "g++")
    run(compiler, "-g", "-O1", "-Wl,--build-id", *options, "-o", path, source)
    with open(path, "rb") as stream:
        elf = ELFFile(stream)
        note = next(elf.get_section_by_name(".note.gnu.build-id").iter_notes())
        code = next(
            s
            for s in elf.iter_segments()
            if s["p_type"] == "PT_LOAD" and s["p_flags"] & 1
        )
        shift = code["p_offset"] - code["p_vaddr"]
        symbols = {
            s.name: s["st_value"] + shift
            for s in elf.get_section_by_name(".symtab").iter_symbols()
            if s["st_info"]["type"] == "STT_FUNC"
        }
        start, size = code["p_offset"] & ~0xFFF, code["p_filesz"] + 0x1000
    build_id = note["n_desc"]
    where = mapping(LOAD + start, LOAD + start + size, start, str(path), build_id)
    return Program(path, build_id, symbols, where, shift)
