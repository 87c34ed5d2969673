# SPDX-License-Identifier: MIT OR GPL-2.0
"""The directory of an out-of-tree format, and the sources in it that kbuild uses."""

from __future__ import annotations

import re
from pathlib import Path

SUFFIXES = (".c", ".h", ".S")
# Files that kbuild generates.
GENERATED = ".mod.c"
# The makefiles that kbuild looks for, in this order.
MAKEFILES = ("Kbuild", "Makefile")
# The line that includes format.mk. kbuild does not need format.mk, which may not exist
# where a copy of the directory is built.
SDK_INCLUDE = re.compile(r"^\s*-?s?include\s+\S*/format\.mk\s*$", re.MULTILINE)
OBJECTS = re.compile(r"^\s*obj-m\s*[:+]?=", re.MULTILINE)
SUITE = "_kunit.c"


class FolderError(Exception):
    """The directory has no format; the message says what is missing."""


def sources(folder: Path) -> dict[Path, bytes]:
    """Return the sources of a directory's modules, by path below the directory.

    The build rules are returned under the name Kbuild, even if the directory has a
    Makefile instead. Raises FolderError.
    """
    makefile = next((p for p in map(folder.joinpath, MAKEFILES) if p.is_file()), None)
    if makefile is None:
        raise FolderError(f"{folder} has neither a Makefile nor a Kbuild")
    text = SDK_INCLUDE.sub("", makefile.read_text())
    if not OBJECTS.search(text):
        raise FolderError(f"{makefile} names no module: add obj-m := pfm_fmt_mine.o")
    found = {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.name.endswith(SUFFIXES)
        and not path.name.endswith(GENERATED)
        and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    }
    return {**found, Path("Kbuild"): text.encode()}


def suites(files: dict[Path, bytes]) -> list[str]:
    """Return the object file of each KUnit suite among these sources."""
    names = [str(path) for path in files if path.name.endswith(SUITE)]
    return [f"{name.removesuffix('.c')}.o" for name in names]
