# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the libraries of 64-bit and 32-bit programs are found.

The kernel need not be able to run 32-bit programs.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import build_parts
import libraries
import pytest


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return a 32-bit program with a library in the same folder."""
    reason = build_parts.left_out("user-i386")
    if reason:
        pytest.skip(reason)
    source, program = tmp_path / "source.c", tmp_path / "program"
    library = tmp_path / "libmine.so"
    source.write_text("int mine(void) { return 0; }\n")
    _compile("-shared", "-fPIC", "-o", library, source)
    source.write_text("int mine(void);\nint main(void) { return mine(); }\n")
    _compile("-o", program, source, library, "-Wl,-rpath,$ORIGIN")
    return program


def test_libraries_of_32_bit_programs_are_found(program: Path) -> None:
    found = libraries.needed([program], None)
    assert found["/lib/libmine.so"] == program.with_name("libmine.so")
    assert found[str(libraries.LOADER)] == libraries.LOADER
    (libc,) = (path for name, path in found.items() if name.endswith("/libc.so.6"))
    assert libraries._is_narrow(libc)


def test_missing_32_bit_library_is_named(program: Path) -> None:
    program.with_name("libmine.so").unlink()
    with pytest.raises(libraries.LibraryError, match="32-bit .*libmine.so"):
        libraries.needed([program], None)


def _compile(*arguments: str | Path) -> None:
    subprocess.run(["gcc", "-m32", *arguments], check=True)


def test_missing_library_is_named(tmp_path: Path) -> None:
    source, library, program = (tmp_path / name for name in ("s.c", "libx.so", "p"))
    source.write_text("int x(void) { return 0; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    source.write_text("int x(void);\nint main(void) { return x(); }\n")
    subprocess.run(["gcc", "-o", program, source, library], check=True)
    library.rename(tmp_path / "moved")
    with pytest.raises(
        libraries.LibraryError, match="^libraries not found: .*libx.so$"
    ):
        libraries.needed([program], None)


def test_library_is_found_in_the_search_directory(tmp_path: Path) -> None:
    source, library, program = (tmp_path / name for name in ("s.c", "libx.so", "p"))
    source.write_text("int x(void) { return 0; }\n")
    soname = "-Wl,-soname,libx.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", soname, "-o", library, source], check=True
    )
    source.write_text("int x(void);\nint main(void) { return x(); }\n")
    subprocess.run(["gcc", "-o", program, source, library], check=True)
    found = libraries.needed([program, source], tmp_path)
    assert found["/lib/libx.so"] == library
    assert libraries.needed([source], None) == {}
