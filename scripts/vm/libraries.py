# SPDX-License-Identifier: MIT OR GPL-2.0
"""Finds the shared libraries that programs of the host's architecture need.

ldd has a program's own loader tell. That of 32-bit programs is not run, which not every
kernel can: what these need is read from them, and is beside their loader.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

SYSTEM = ("/lib", "/usr/lib")
NARROW = b"\x7fELF\x01"
# What loads 32-bit programs.
LOADER = Path("/lib/ld-linux.so.2")


class LibraryError(Exception):
    """A program needs a library that is not there."""


def is_elf(path: Path) -> bool:
    """Tell whether a file is in ELF format. Raises OSError."""
    with open(path, "rb") as stream:
        return stream.read(4) == b"\x7fELF"


def needed(programs: Iterable[Path], search: Path | None) -> dict[str, Path]:
    """Return guest path -> host file of all libraries that the programs need.

    `search`: a directory in which libraries are looked for first. Libraries of the
    system keep their place, all others come to /lib. Raises LibraryError if a library
    is not found.
    """
    elves = [program for program in programs if is_elf(program)]
    narrow = [program for program in elves if _is_narrow(program)]
    wide = [program for program in elves if program not in narrow]
    return {**_needed_by_wide(wide, search), **_needed_by_narrow(narrow, search)}


def _is_narrow(path: Path) -> bool:
    with open(path, "rb") as stream:
        return stream.read(len(NARROW)) == NARROW


def _needed_by_narrow(programs: Sequence[Path], search: Path | None) -> dict[str, Path]:
    """Return the same for 32-bit programs."""
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
    """Return where libraries of a program are: its own paths, and beside the loader."""
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
    raise LibraryError(f"libraries are not found: {name}, of 32 bits")


def _needed_by_wide(programs: Sequence[Path], search: Path | None) -> dict[str, Path]:
    """Return the same for programs that the host runs."""
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
        raise LibraryError(
            "libraries are not found: " + ", ".join(sorted(set(missing)))
        )
    found = re.findall(r"^\s+(?:\S+ => )?(/\S+) \(0x", listing, re.MULTILINE)
    return {_guest_path(path): Path(path) for path in found}


def _read(command: Sequence[str | Path]) -> str:
    """Return what a command prints."""
    done = subprocess.run(
        command, env={**os.environ, "LC_ALL": "C"}, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def _guest_path(path: str) -> str:
    """Return where a library goes; only the system's are kept where they are."""
    if path.startswith(SYSTEM):
        return path
    return "/lib/" + Path(path).name
