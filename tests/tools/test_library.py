# SPDX-License-Identifier: MIT OR GPL-2.0
"""The search for code in the libraries of a process, LIBRARY:CODE."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

LIBC = "libc.so.6"
FUNCTION = "qsort"
MATHS = "libm.so.6"

Finder = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture(name="finder")
def fixture_finder(programs: Path) -> Finder:
    """Return a function that searches for code in this process."""

    def find(code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [programs / "library_finder", str(os.getpid()), code],
            capture_output=True,
            text=True,
            check=False,
        )

    return find


def address_of(library: ctypes.CDLL, function: str) -> int:
    """Return the address of a function after loading."""
    address = ctypes.cast(getattr(library, function), ctypes.c_void_p).value
    assert address
    return address


def path_of(name: str) -> str:
    """Return the path of a library that this process has loaded."""
    lines = Path("/proc/self/maps").read_text("utf-8").splitlines()
    return next(line.split(maxsplit=5)[5] for line in lines if line.endswith(name))


def address_in_file(path: str, function: str) -> str:
    """Return the address of a function according to nm."""
    listing = subprocess.check_output(["nm", "-D", path], text=True)
    found = re.search(rf"^([0-9a-f]+) [TW] {function}(?:@.*)?$", listing, re.MULTILINE)
    assert found, listing
    return f"0x{found[1]}"


def test_library_function_address_matches_loader(finder: Finder) -> None:
    expected = f"{address_of(ctypes.CDLL(LIBC), FUNCTION)}\n"
    for library in ("libc", "libc.so", LIBC, path_of(f"/{LIBC}")):
        assert finder(f"{library}:{FUNCTION}").stdout == expected, library


def test_library_address_matches_nm(finder: Finder) -> None:
    code = address_in_file(path_of(f"/{LIBC}"), FUNCTION)
    address = address_of(ctypes.CDLL(LIBC), FUNCTION)
    assert finder(f"libc:{code}").stdout == f"{address}\n"


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("lib:qsort", "the program does not start with a library 'lib'; it has: "),
        ("/libc.so.6:qsort", "does not start with a library '/libc.so.6'"),
        ("libc:qsrt", f"/{LIBC} has no function qsrt; similar names: "),
        ("libc:0x1", f"/{LIBC} has no code at 0x1"),
        ("libc:memcpy", "the code of memcpy in "),
    ],
)
def test_missing_library_or_function_is_refused(
    finder: Finder, code: str, complaint: str
) -> None:
    run = finder(code)
    assert complaint in run.stderr and LIBC in run.stderr
    assert (run.returncode, run.stdout) == (1, "")


@pytest.mark.parametrize("code", ["qsort", "ns::qsort", ":qsort", "libc:", "::", ""])
def test_function_name_alone_names_no_library(finder: Finder, code: str) -> None:
    run = finder(code)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "")


def load_copy(path: Path) -> Path:
    """Load a library under another name."""
    ctypes.CDLL(MATHS)
    ctypes.CDLL(str(shutil.copy(path_of(f"/{MATHS}"), path)))
    return path


def test_ambiguous_library_name_is_refused(finder: Finder, tmp_path: Path) -> None:
    paths = [load_copy(tmp_path / f"libcopy.so.{number}") for number in (1, 2)]
    for name in ("libcopy", "libcopy.so"):
        complaint = finder(f"{name}:cosh").stderr
        assert f" '{name}' may be " in complaint and "give the path" in complaint
        assert all(str(path) in complaint for path in paths)
    assert finder("libcopy.so.2:cosh").stdout


def test_library_symlink_is_followed(finder: Finder, tmp_path: Path) -> None:
    link = tmp_path / "libother.so"
    link.symlink_to(path_of(f"/{LIBC}"))
    assert finder(f"{link}:{FUNCTION}").stdout == finder(f"libc:{FUNCTION}").stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root reaches what is removed")
def test_removed_library_is_read_from_its_mapping(
    finder: Finder, tmp_path: Path
) -> None:
    path = load_copy(tmp_path / "libgone.so")
    expected = finder("libgone:cosh").stdout
    path.unlink()
    assert finder("libgone:cosh").stdout == expected != ""
