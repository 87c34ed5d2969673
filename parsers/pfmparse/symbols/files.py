# SPDX-License-Identifier: MIT OR GPL-2.0
"""Finds mapped ELF files, and keeps them open."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional, Sequence, Union

from ..capture.maps import is_anonymous
from . import libdw
from .debuginfod import Debuginfod
from .elf_file import ElfFile
from .options import SymbolOptions

DELETED = " (deleted)"
OPEN = 64  # maximum number of open files, each with its debug information

# The identity of a file: its build ID, or its path if it has none.
Key = tuple[Optional[bytes], str]


class Files:
    """The mapped files, by build ID and path."""

    def __init__(self, options: SymbolOptions, warn: Callable[[str], None]) -> None:
        """``warn`` is called once per missing file, with the reason."""
        self._options = options
        self._warn = warn
        self._debug = [
            os.path.abspath(os.path.join(path, "usr/lib/debug"))
            for path in options.symfs
        ]
        self._debuginfod = Debuginfod(options.debuginfod, warn)
        self._open: dict[Key, ElfFile] = {}
        self._missing: dict[Key, set[str]] = {}  # the paths that were tried

    def open(
        self, build_id: Optional[bytes], paths: Iterable[str]
    ) -> Optional[ElfFile]:
        """The file that was mapped under these paths, None if it is not found.

        The most recently used files stay open.
        """
        named = sorted(
            path for path in paths if path.startswith("/") and not is_anonymous(path)
        )
        if not named:
            return None
        key = (build_id, "" if build_id else named[0])
        # Keep the files sorted by their last use.
        file = self._open.pop(key, None) or self._find(key, named)
        if file is not None:
            self._open[key] = file
            if len(self._open) > OPEN:
                del self._open[next(iter(self._open))]
        return file

    def _find(self, key: Key, paths: list[str]) -> Optional[ElfFile]:
        tried = self._missing.get(key)
        if tried is not None and tried.issuperset(paths):
            return None
        found = self._first(key[0], paths)
        if not isinstance(found, str):
            return found
        if tried is None:
            self._warn(f"{paths[0]} {found}")
        self._missing.setdefault(key, set()).update(paths)
        return None

    def _first(
        self, build_id: Optional[bytes], paths: list[str]
    ) -> Union[ElfFile, str]:
        """The best matching file, or the reason why there is none."""
        if not libdw.available():
            return "cannot be read without libdw.so.1"
        different = False
        for path in self._candidates(build_id, paths):
            try:
                file = ElfFile(path, self._debuginfod, self._debug)
            except (OSError, ValueError):
                continue
            if build_id in (None, file.build_id()):
                return file
            different = True
        why = "has another build ID" if different else "cannot be read"
        return f"{why}: no symbols; use --symfs DIR for a directory that has the file"

    def _candidates(self, build_id: Optional[bytes], paths: list[str]) -> Iterator[str]:
        """Paths where the file may be, best first."""
        yield from _copies(paths, self._options.symfs)
        if build_id:
            yield from _by_build_id(build_id.hex())
            fetched = self._debuginfod.executable(build_id, paths[0])
            if fetched is not None:
                yield fetched


def _copies(paths: list[str], symfs: Sequence[str]) -> Iterator[str]:
    names = [path.removesuffix(DELETED) for path in paths]
    for name in names:
        for directory in symfs:
            yield os.path.join(directory, name.lstrip("/"))
            yield os.path.join(directory, os.path.basename(name))
    yield from names


def _by_build_id(build_id: str) -> Iterator[str]:
    """Paths where distributions and perf keep files by build ID."""
    name = f".build-id/{build_id[:2]}/{build_id[2:]}"
    yield f"/usr/lib/debug/{name}"
    try:
        yield str(Path.home() / ".debug" / name / "elf")  # perf's cache
    except RuntimeError:
        return  # there is no home directory
