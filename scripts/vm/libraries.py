# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the shared libraries that programs of the host's architecture need.

For 64-bit programs, ldd finds the libraries by running the program's loader. For 32-bit
programs, the loader is not run, because some kernels cannot run it. Instead, the names
of the libraries are read from the program, and the libraries are looked up in the
directories of the program's RUNPATH, and in the loader's directory.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

SYSTEM = ("/lib", "/usr/lib")
NARROW = b"\x7fELF\x01"
# The loader of 32-bit programs.
LOADER = Path("/lib/ld-linux.so.2")


class LibraryError(Exception):
    """A library that a program needs was not found."""


def is_elf(path: Path) -> bool:
    """Return whether a file is in ELF format. Raises OSError."""
    with open(path, "rb") as stream:
        return stream.read(4) == b"\x7fELF"


def needed(programs: Iterable[Path], search: Path | None) -> dict[str, Path]:
    """Return the host file of each library that the programs need, by guest path.

    `search`: a directory that is searched first. System libraries keep their paths; all
    other libraries are placed in /lib. Raises LibraryError if a library is not found.
    """
    elves = [program for program in programs if is_elf(program)]
    narrow = [program for program in elves if _is_narrow(program)]
    wide = [program for program in elves if program not in narrow]
    return {**_needed_by_wide(wide, search), **_needed_by_narrow(narrow, search)}


def _is_narrow(path: Path) -> bool:
    with open(path, "rb") as stream:
        return stream.read(len(NARROW)) == NARROW


def _needed_by_narrow(programs: Sequence[Path], search: Path | None) -> dict[str, Path]:
    """Return the host file of each library that 32-bit programs need, by guest path."""
    found: dict[str, Path] = {}
    left = list(programs)
    while left:
        program = left.pop()
        listing = _read(["readelf", "-W", "--dynamic", "--segments", program])
        if "program interpreter:" in listing:
            found[str(LOADER)] = LOADER
        places = _places(listing, program, search)
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", listing):
            path = _find(name, places)
            if _guest_path(str(path)) not in found:
                found[_guest_path(str(path))] = path
                left.append(path)
    return found


def _places(listing: str, program: Path, search: Path | None) -> list[Path]:
    """Return the directories in which to look for a program's libraries."""
    names = re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", listing)
    own = ":".join(names).replace("$ORIGIN", str(program.parent))
    places = [Path(name) for name in own.split(":") if name]
    if search:
        places.append(search)
    if LOADER.is_symlink():
        target = os.path.normpath(LOADER.parent / os.readlink(LOADER))
        places.append(Path(target).parent)
    return places


def _find(name: str, places: Sequence[Path]) -> Path:
    for place in places:
        if (place / name).exists():
            return place / name
    raise LibraryError(f"32-bit libraries not found: {name}")


def _needed_by_wide(programs: Sequence[Path], search: Path | None) -> dict[str, Path]:
    """Return the host file of each library that 64-bit programs need, by guest path."""
    if not programs:
        return {}
    listing = subprocess.run(
        ["ldd", *programs],
        env={**os.environ, "LD_LIBRARY_PATH": str(search or ""), "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    missing = re.findall(r"^\s+(\S+) => not found", listing, re.MULTILINE)
    if missing:
        raise LibraryError("libraries not found: " + ", ".join(sorted(set(missing))))
    found = re.findall(r"^\s+(?:\S+ => )?(/\S+) \(0x", listing, re.MULTILINE)
    return {_guest_path(path): Path(path) for path in found}


def _read(command: Sequence[str | Path]) -> str:
    """Return the output of a command."""
    done = subprocess.run(
        command, env={**os.environ, "LC_ALL": "C"}, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def _guest_path(path: str) -> str:
    """Return the guest path of a library; only system libraries keep their path."""
    if path.startswith(SYSTEM):
        return path
    return "/lib/" + Path(path).name
