# SPDX-License-Identifier: MIT OR GPL-2.0
"""ELF files, read with libdw."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile  # type: ignore[import]
from helpers.programs import SOURCE, Program, compiled
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


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return compiled(tmp_path_factory.mktemp("bin") / "hotspots", "-no-pie")


def test_build_id_is_that_of_the_note(program: Program) -> None:
    with libdw.ElfFile(str(program.path)) as elf:
        build_id = elf.build_id()
    assert build_id is not None and build_id.hex() == program.build_id


def test_file_without_build_id_has_none(tmp_path: Path) -> None:
    path = tmp_path / "program"
    subprocess.run(["gcc", "-Wl,--build-id=none", "-o", path, SOURCE], check=True)
    with libdw.ElfFile(str(path)) as elf:
        assert elf.build_id() is None


def test_only_code_has_an_address(program: Program) -> None:
    with open(program.path, "rb") as stream:
        segments = [s.header for s in ELFFile(stream).iter_segments("PT_LOAD")]
    with libdw.ElfFile(str(program.path)) as elf:
        for segment in segments:
            start, size = segment["p_offset"], segment["p_filesz"]
            found = [elf.address(at) for at in (start, start + size - 1)]
            expected = [segment["p_vaddr"], segment["p_vaddr"] + size - 1]
            assert found == (expected if segment["p_flags"] & 1 else [None, None])
        assert elf.address(1 << 40) is None


def test_function_and_line_are_those_of_the_source(program: Program) -> None:
    numbers = {
        name: next(n for n, text in enumerate(lines, 1) if mark in text)
        for lines in [SOURCE.read_text().splitlines()]
        for name, mark in (("hot", "sink++"), ("warm", "sink--"))
    }
    with libdw.ElfFile(str(program.path)) as elf:
        for name, number in numbers.items():
            address = elf.address(program.symbols[name] + 1)
            assert address is not None and elf.function(address) == name
            assert elf.line(address) == f"{SOURCE}:{number}"
        assert elf.line(0) is None


def test_stripped_file_has_no_functions_and_no_lines(
    program: Program, tmp_path: Path
) -> None:
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, program.path], check=True)
    with libdw.ElfFile(str(stripped)) as elf:
        address = elf.address(program.symbols["warm"] + 1)
        assert address is not None
        assert elf.function(address) is None and elf.line(address) is None


def test_what_is_not_elf_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    with pytest.raises(ValueError, match="is not an ELF file"):
        libdw.ElfFile(str(tmp_path / "text"))


def test_refused_files_are_closed(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    before = os.listdir("/proc/self/fd")
    for path, error in ((tmp_path / "text", ValueError), (tmp_path, OSError)):
        with pytest.raises(error):
            libdw.ElfFile(str(path))
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("path", ["/nonexistent", "/dev/zero", "/"])
def test_what_is_not_a_regular_file_is_refused(path: str) -> None:
    with pytest.raises(OSError):
        libdw.ElfFile(path)


def test_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ctypes.CDLL:
        raise OSError(name)

    assert libdw.available()
    libdw._libraries.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", missing)
    assert not libdw.available()
