# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read symbols of files that the tests assemble."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path
from typing import Optional

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile  # type: ignore[import]
from helpers.programs import run
from pfmparse.symbols.elf_file import ElfFile

# The file has a function inside another one, then a label without a size, which ends at
# the next symbol, and a section without symbols. Symbols that begin with "$" and labels
# within a function do not count as functions.
NESTED = """
.text
.type outer, @function
outer: .fill 16, 1, 0x90
.type inner, @function
inner: .fill 8, 1, 0x90
within: .fill 8, 1, 0x90
.size inner, . - inner
.fill 16, 1, 0x90
.size outer, . - outer
.type label, @function
label: .fill 8, 1, 0x90
$x: .fill 8, 1, 0x90
after: .fill 16, 1, 0x90
.section .other, "ax"
.fill 16, 1, 0x90
"""
FOUND = ["outer"] * 16 + ["inner"] * 16 + ["outer"] * 16 + ["label"] * 8
STARTS = [0] * 16 + [16] * 16 + [0] * 16 + [48] * 8

# Several names of one address: the name with the smallest size is shown. If sizes are
# equal, the global name is shown.
ALIASES = """
.text
.globl strong
.weak weak
{}
.fill 16, 1, 0x90
.size local, 16
.size weak, 16
.size strong, 16
.size large, 32
.fill 16, 1, 0x90
"""


def assembled(where: Path, text: str, *options: str) -> Path:
    """Assemble a shared object."""
    source, path = where / "x.s", where / "x"
    source.write_text(text)
    subprocess.run(
        ["gcc", "-nostdlib", "-shared", *options, "-o", path, source], check=True
    )
    return path


def functions(path: Path, start: int, count: int) -> list[Optional[tuple[str, int]]]:
    """Return the function at each address, with its start relative to ``start``."""
    with ElfFile(str(path)) as elf:
        found = elf.functions(np.arange(start, start + count, dtype=np.uint64))
    return [function and (function.name, function.start - start) for function in found]


def start_of(path: Path, section: str) -> int:
    """Return the address of a section."""
    with open(path, "rb") as stream:
        return int(ELFFile(stream).get_section_by_name(section)["sh_addr"])


@pytest.mark.parametrize("options", [[], ["-m32"]])
def test_nested_functions_resolve_to_the_innermost(
    options: list[str], tmp_path: Path
) -> None:
    path = assembled(tmp_path, NESTED, *options)
    found = functions(path, start_of(path, ".text"), 80)
    assert found[:56] == list(zip(FOUND, STARTS))
    # "$x" ends the preceding label, but does not begin a function.
    assert found[56:64] == [None] * 8
    assert found[64:] == [("after", 64)] * 16
    assert functions(path, start_of(path, ".other"), 16) == [None] * 16


def test_smallest_and_global_alias_is_shown(tmp_path: Path) -> None:
    names = ("local", "weak", "strong", "large")
    for order in (names, names[::-1]):
        labels = "\n".join(f".type {name}, @function\n{name}:" for name in order)
        path = assembled(tmp_path, ALIASES.format(labels))
        found = functions(path, start_of(path, ".text"), 32)
        assert found == [("strong", 0)] * 16 + [("large", 0)] * 16


def test_undefined_functions_are_not_symbols(tmp_path: Path) -> None:
    source, path = tmp_path / "x.c", tmp_path / "x"
    source.write_text("extern int puts();\nint main() { return (long)&puts == 1; }\n")
    run("gcc", "-no-pie", "-fno-pic", "-o", path, source)
    with open(path, "rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        (puts,) = (s.entry for s in table.iter_symbols() if s.name.startswith("puts"))
    # The symbol's value is the address of its PLT entry.
    assert puts["st_value"] and puts["st_shndx"] == "SHN_UNDEF"
    assert functions(path, puts["st_value"], 4) == [None] * 4


def overwritten(path: Path, at: int, data: bytes) -> None:
    """Overwrite a part of a file."""
    with open(path, "r+b") as stream:
        stream.seek(at)
        stream.write(data)


@pytest.mark.parametrize("part", ["table", "sections"])
def test_missing_symbol_table_gives_no_symbols(part: str, tmp_path: Path) -> None:
    path = assembled(
        tmp_path, NESTED.replace(".type outer", ".globl outer\n.type outer")
    )
    start = start_of(path, ".text")
    assert functions(path, start, 1) == [("outer", 0)]
    with open(path, "rb") as stream:
        elf = ELFFile(stream)
        table = elf["e_shoff"] + elf.get_section_index(".symtab") * elf["e_shentsize"]
    if part == "table":
        # libdw then reads .dynsym, although the section header of .symtab remains.
        overwritten(path, table + 24, struct.pack("<Q", 1 << 40))  # sh_offset
    else:
        # libdw finds .dynsym through the program headers.
        overwritten(path, 40, bytes(8))  # e_shoff
        overwritten(path, 60, bytes(4))  # e_shnum, e_shstrndx
    assert functions(path, start, 1) == [None]


def test_section_beyond_address_space_is_truncated(tmp_path: Path) -> None:
    path = assembled(tmp_path, ".text\nlabel: .fill 16, 1, 0x90\n")
    start = start_of(path, ".text")
    with open(path, "rb") as stream:
        elf = ELFFile(stream)
        header = elf["e_shoff"] + elf.get_section_index(".text") * elf["e_shentsize"]
    overwritten(path, header + 32, b"\xff" * 8)  # sh_size
    assert functions(path, start, 16) == [("label", 0)] * 16


def test_file_of_many_symbols_is_read(tmp_path: Path) -> None:
    parts = [
        f".type f{at}, @function\nf{at}: .byte 0x90, 0x90\n.size f{at}, 2\n.byte 0x90\n"
        for at in range(5000)
    ]
    path = assembled(tmp_path, ".text\n" + "".join(parts))
    found = functions(path, start_of(path, ".text"), 15000)
    assert found[0::3] == found[1::3] == [(f"f{at}", 3 * at) for at in range(5000)]
    assert found[2::3] == [None] * 5000
