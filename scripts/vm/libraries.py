# SPDX-License-Identifier: MIT OR GPL-2.0
"""Finds the shared libraries that programs of the host's architecture need."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

SYSTEM = ("/lib", "/usr/lib")


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
    elves = [str(program) for program in programs if is_elf(program)]
    if not elves:
        return {}
    listing = subprocess.run(
        ["ldd", *elves],
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


def _guest_path(path: str) -> str:
    """Return where a library goes; only the system's are kept where they are."""
    if path.startswith(SYSTEM):
        return path
    return "/lib/" + Path(path).name
