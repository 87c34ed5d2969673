# SPDX-License-Identifier: MIT OR GPL-2.0
"""ELF files, read with libdw."""

from __future__ import annotations

import subprocess
from pathlib import Path

from elftools.elf.elffile import ELFFile  # type: ignore[import]
from pfmparse.symbols import libdw

# A function with another one within it, a label without a size behind both, and a
# section without symbols.
NESTED = """
.text
.type outer, @function
outer: .fill 16, 1, 0x90
.type inner, @function
inner: .fill 16, 1, 0x90
.size inner, . - inner
.fill 16, 1, 0x90
.size outer, . - outer
.type label, @function
label: .fill 16, 1, 0x90
.section .other, "ax"
.fill 16, 1, 0x90
"""


def test_each_address_of_nested_functions_has_the_innermost_one(
    tmp_path: Path,
) -> None:
    source, path = tmp_path / "nested.s", tmp_path / "nested"
    source.write_text(NESTED)
    subprocess.run(
        ["gcc", "-nostdlib", "-shared", "-o", path, source],
        check=True,
    )
    with open(path, "rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        start = table.get_symbol_by_name("outer")[0]["st_value"]
        other = ELFFile(stream).get_section_by_name(".other")["sh_addr"]
    with libdw.ElfFile(str(path)) as elf:
        found = [elf.function(start + at) for at in range(64)]
        assert elf.function(other) is None
    names = ("outer", "inner", "outer", "label")
    assert found == [name for name in names for _ in range(16)]
