# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read ELF files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile  # type: ignore[import]
from elftools.elf.enums import ENUM_E_MACHINE  # type: ignore[import]
from helpers.programs import SOURCE, Program, compiled, run
from numpy.typing import NDArray
from pfmparse.symbols.elf_file import ElfFile
from pfmparse.symbols.location import Line, Symbol

# Variables, one of them in .bss.
VARIABLES = """
int first[4] = {1};
static int second = 2;
static int third[100000];
int main(void) { return first[0] + second + third[0]; }
"""


def addresses(*numbers: int) -> NDArray[np.uint64]:
    """Make an array of addresses or offsets."""
    return np.array(numbers, np.uint64)


def code_at(elf: ElfFile, *offsets: int) -> list[Optional[int]]:
    """Return the address of the code at each file offset, or None if it is not code."""
    found, there = elf.addresses(addresses(*offsets))
    return [at if ok else None for at, ok in zip(found.tolist(), there.tolist())]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return compiled(tmp_path_factory.mktemp("bin") / "hotspots", "-no-pie")


def test_build_id_is_read_from_the_note(program: Program) -> None:
    with ElfFile(str(program.path)) as elf:
        build_id = elf.build_id()
    assert build_id is not None and build_id.hex() == program.build_id


def test_file_without_build_id_has_none(tmp_path: Path) -> None:
    path = tmp_path / "program"
    run("gcc", "-Wl,--build-id=none", "-o", path, SOURCE)
    with ElfFile(str(path)) as elf:
        assert elf.build_id() is None


def test_only_code_offsets_have_addresses(program: Program) -> None:
    with open(program.path, "rb") as stream:
        segments = [s.header for s in ELFFile(stream).iter_segments("PT_LOAD")]
    with ElfFile(str(program.path)) as elf:
        for segment in segments:
            start, size = segment["p_offset"], segment["p_filesz"]
            found = code_at(elf, start, start + size - 1)
            expected = [segment["p_vaddr"], segment["p_vaddr"] + size - 1]
            assert found == (expected if segment["p_flags"] & 1 else [None, None])
        assert code_at(elf, 1 << 40) == [None]


def test_function_and_line_match_the_source(program: Program) -> None:
    numbers = {
        name: next(n for n, text in enumerate(lines, 1) if mark in text)
        for lines in [SOURCE.read_text().splitlines()]
        for name, mark in (("hot", "sink++"), ("warm", "sink--"))
    }
    with ElfFile(str(program.path)) as elf:
        for name, number in numbers.items():
            (at,) = code_at(elf, program.symbols[name] + 1)
            assert at is not None
            (function,) = elf.functions(addresses(at))
            assert function and (function.name, function.start) == (name, at - 1)
            assert elf.lines(addresses(at)) == [Line(str(SOURCE), number)]
            rows = elf.rows(function.start, function.end)
            assert Line(str(SOURCE), number) in [row.line for row in rows]
            assert rows[0].address <= function.start
        assert elf.lines(addresses(0)) == [None]


def test_stripped_file_has_no_functions_and_no_lines(
    program: Program, tmp_path: Path
) -> None:
    stripped = tmp_path / "stripped"
    run("strip", "-o", stripped, program.path)
    with ElfFile(str(stripped)) as elf:
        at = addresses(program.address("warm"))
        assert elf.functions(at) == [None]
        assert elf.lines(at) == [None]
        assert elf.inlines(at) == [()] and elf.rows(int(at[0]), int(at[0]) + 1) == []


@pytest.mark.parametrize("where", ["", ".debug"])
def test_debuglink_file_has_symbols_and_lines(
    where: str, program: Program, tmp_path: Path
) -> None:
    stripped, apart = tmp_path / "stripped", tmp_path / where / "apart.debug"
    apart.parent.mkdir(exist_ok=True)
    run("objcopy", "--only-keep-debug", program.path, apart)
    link = f"--add-gnu-debuglink={apart}"
    run("objcopy", "--strip-all", link, program.path, stripped)
    at = addresses(program.address("hot"), program.address("warm"))
    with ElfFile(str(stripped)) as one, ElfFile(str(program.path)) as other:
        assert one.functions(at) == other.functions(at)
        assert one.lines(at) == other.lines(at)
        assert one.lines(at)[0] is not None


def test_compressed_gnu_debugdata_symbols_are_read(tmp_path: Path) -> None:
    program = compiled(tmp_path / "x", "-rdynamic")
    apart, stripped = tmp_path / "apart", tmp_path / "stripped"
    run("objcopy", "--strip-debug", "--strip-symbol=main", program.path, apart)
    run("xz", apart)
    section = f"--add-section=.gnu_debugdata={apart}.xz"
    run("objcopy", "--strip-all", section, program.path, stripped)
    at = addresses(*(program.address(name) for name in ("hot", "warm", "main")))
    with ElfFile(str(stripped)) as elf:
        found = elf.functions(at)
    assert [f and f.name for f in found] == ["hot", "warm", "main"]


@pytest.mark.parametrize("linked", ["-pie", "-no-pie"])
def test_variables_are_found_in_data_and_bss(linked: str, tmp_path: Path) -> None:
    source = tmp_path / "variables.c"
    source.write_text(VARIABLES)
    path = tmp_path / "variables"
    run("gcc", "-O0", linked, "-o", path, source)
    with open(path, "rb") as stream:
        read = ELFFile(stream)
        table = read.get_section_by_name(".symtab")
        starts = {s.name: s["st_value"] for s in table.iter_symbols()}
        (data,) = (
            s.header
            for s in read.iter_segments("PT_LOAD")
            if s["p_flags"] & 2 and s["p_memsz"] > s["p_filesz"]
        )
    for name, size in {"first": 16, "second": 4, "third": 400000}.items():
        start = starts[name]
        offsets = start - data["p_vaddr"] + data["p_offset"] + np.arange(2) * (size - 1)
        with ElfFile(str(path)) as elf:
            found, there = elf.addresses(offsets.astype(np.uint64), code=False)
            assert there.all() and found.tolist() == [start, start + size - 1]
            assert elf.objects(found) == [Symbol(name, start, start + size)] * 2
            assert elf.functions(found) == [None] * 2


def test_elf_code_and_machine_match_the_file(program: Program) -> None:
    start = program.address("hot")
    with open(program.path, "rb") as stream:
        stream.seek(program.symbols["hot"])
        code = stream.read(16)
        machine = ELFFile(stream)["e_machine"]
    with ElfFile(str(program.path)) as elf:
        assert elf.code(start, start + 16) == code
        assert elf.code(1 << 40, (1 << 40) + 1) == b""
        # A request beyond the segment's end returns the code up to the end.
        assert elf.code(start, 1 << 60).startswith(code)
        assert ENUM_E_MACHINE[machine] == elf.machine


def test_non_elf_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    with pytest.raises(ValueError, match="is not an ELF file"):
        ElfFile(str(tmp_path / "text"))


def test_refused_files_are_closed(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    before = set(os.listdir("/proc/self/fd"))
    for path, error in ((tmp_path / "text", ValueError), (tmp_path, OSError)):
        with pytest.raises(error):
            ElfFile(str(path))
    # No file is left open. The set may be smaller, because garbage collection may
    # have closed files of earlier tests.
    assert set(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize("path", ["/nonexistent", "/dev/zero", "/"])
def test_non_regular_file_is_refused(path: str) -> None:
    with pytest.raises(OSError):
        ElfFile(path)
