# SPDX-License-Identifier: MIT OR GPL-2.0
"""Search for code in an executable, for --trigger-start and --trigger-stop."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

# The offset of e_machine in an ELF file, and the value for arm64.
MACHINE = 18
AARCH64 = 183


class Finder:
    """Search for code in a copy of the program symbol_finder itself."""

    def __init__(self, program: Path, copy: Path) -> None:
        self.program = program
        self.file = Path(shutil.copy(program, copy))

    def __call__(self, code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, self.file, code], capture_output=True, text=True, check=False
        )

    def distance(self, code: str) -> int:
        run = self(code)
        assert run.returncode == 0, run.stderr
        return int(run.stdout)

    def complaint(self, code: str) -> str:
        run = self(code)
        assert run.returncode == 1 and run.stdout == ""
        return run.stderr

    def address(self, name: str) -> int:
        """Return the address of a function according to nm."""
        listing = subprocess.check_output(["nm", self.file], text=True)
        found = re.search(rf"^([0-9a-f]+) [Tt] {name}$", listing, re.MULTILINE)
        assert found, listing
        return int(found[1], 16)

    def pretend_arm64(self) -> None:
        """Make the file seem to be for arm64, by changing e_machine."""
        content = bytearray(self.file.read_bytes())
        content[MACHINE : MACHINE + 2] = AARCH64.to_bytes(2, "little")
        self.file.write_bytes(content)

    def objcopy(self, *options: str) -> None:
        subprocess.run(["objcopy", *options, self.file], check=True)


@pytest.fixture(name="finder")
def fixture_finder(programs: Path, tmp_path: Path) -> Finder:
    return Finder(programs / "symbol_finder", tmp_path / "program")


def test_function_offset_from_entry_matches_nm(finder: Finder) -> None:
    expected = finder.address("main") - finder.address("_start")
    assert finder.distance("main") == expected
    assert finder.distance("_start") == 0


def test_function_address_matches_nm(finder: Finder) -> None:
    assert finder.distance(hex(finder.address("main"))) == finder.distance("main")


def test_stripped_program_needs_addresses(finder: Finder) -> None:
    address, distance = finder.address("main"), finder.distance("main")
    finder.objcopy("--strip-all", "-R", ".dynsym")
    assert finder.distance(hex(address)) == distance
    assert "PROGRAM is stripped of its symbols: give an address" in finder.complaint(
        "main"
    )


def test_unknown_function_lists_similar_names(finder: Finder) -> None:
    assert (
        "no function symbols_fnid; similar names: symbols_find\n"
        in finder.complaint("symbols_fnid")
    )
    assert "similar names: symbols_find\n" in finder.complaint("mbols_F")


def test_similar_names_are_limited_to_five(finder: Finder) -> None:
    assert finder.complaint("e").count(", ") == 4


def test_unknown_function_without_similar_names(finder: Finder) -> None:
    assert "function wholly_unlike_any nor one" in finder.complaint("wholly_unlike_any")


def test_data_symbol_is_not_a_function(finder: Finder) -> None:
    assert "neither a function __data_start nor" in finder.complaint("__data_start")


def test_ambiguous_function_name_is_refused(finder: Finder) -> None:
    finder.objcopy("--redefine-sym=message=main")
    assert "2 functions in PROGRAM are named main" in finder.complaint("main")


def test_address_without_code_is_refused(finder: Finder) -> None:
    assert "PROGRAM has no code at 0x1: give an address" in finder.complaint("0x1")


def test_unaligned_arm64_address_is_refused(finder: Finder) -> None:
    address = finder.address("main") // 4 * 4
    distances = [finder.distance(hex(address + by)) for by in (4, 6)]
    finder.pretend_arm64()
    assert finder.distance(hex(address + 4)) == distances[0] == distances[1] - 2
    complaint = finder.complaint(hex(address + 6))
    assert f"PROGRAM has no code at {address + 6:#x}: give an" in complaint


def test_arm64_mapping_symbols_are_not_functions(finder: Finder) -> None:
    names = ("$x", "$x.1", "$d")
    marks = [f"--add-symbol={name}=.text:0x10,local" for name in names]
    finder.objcopy("--add-symbol=$xx=.text:0x10,local", *marks)
    finder.pretend_arm64()
    complaint = finder.complaint("$xyz")
    assert "similar names: $xx\n" in complaint


def test_non_elf_file_has_no_code(finder: Finder) -> None:
    finder.file.write_text("#!/bin/sh\n")
    assert "code in PROGRAM, because it is not a 64-bit" in finder.complaint("x")
    finder.file.unlink()
    assert "in PROGRAM: No such file or directory" in finder.complaint("x")
