# SPDX-License-Identifier: MIT OR GPL-2.0
"""The folder of a format outside the tree: what kbuild makes of it, wherever."""

from __future__ import annotations

import re
from pathlib import Path

SUFFIXES = (".c", ".h", ".S")
# What kbuild writes.
GENERATED = ".mod.c"
# As kbuild chooses.
MAKEFILES = ("Kbuild", "Makefile")
# Nothing to kbuild, and perhaps not where the folder's copy is built.
SDK_INCLUDE = re.compile(r"^\s*-?s?include\s+\S*/format\.mk\s*$", re.MULTILINE)
OBJECTS = re.compile(r"^\s*obj-m\s*[:+]?=", re.MULTILINE)
SUITE = "_kunit.c"


class FolderError(Exception):
    """It is no folder of a format; the text says what is missing."""


def sources(folder: Path) -> dict[Path, bytes]:
    """Return what the modules of a folder are built from, by path below it.

    How they are built is in Kbuild, whether the folder has that or a Makefile.
    Raises FolderError.
    """
    makefile = next((p for p in map(folder.joinpath, MAKEFILES) if p.is_file()), None)
    if makefile is None:
        raise FolderError(f"{folder} has neither a Makefile nor a Kbuild")
    text = SDK_INCLUDE.sub("", makefile.read_text())
    if not OBJECTS.search(text):
        raise FolderError(f"{makefile} names no module: obj-m := pfm_fmt_mine.o")
    found = {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.name.endswith(SUFFIXES)
        and not path.name.endswith(GENERATED)
        and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    }
    return {**found, Path("Kbuild"): text.encode()}


def suites(files: dict[Path, bytes]) -> list[str]:
    """Return the objects of the KUnit suites among the sources of a folder."""
    names = [str(path) for path in files if path.name.endswith(SUITE)]
    return [f"{name.removesuffix('.c')}.o" for name in names]
