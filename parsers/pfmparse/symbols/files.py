# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find mapped ELF files, and keep them open."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional, Sequence, Union

from ..capture.code import VdsoImages
from ..capture.maps import FileState, file_key, is_anonymous, is_unique
from . import libdw
from .debuginfod import Debuginfod
from .elf_file import ElfFile
from .location import SymbolOptions

DELETED = " (deleted)"
DEBUG = "/usr/lib/debug"
SURE = 2  # the ``fit`` of a file that matches in all respects
FULL = 3  # the ``wealth`` of files that have symbols and lines
OPEN = 64  # maximum number of files to keep open, with their debug information

# The identity of a file, as in file_key().
Key = tuple[Optional[bytes], str, Optional[FileState]]


class Files:
    """The mapped files, by build ID and path."""

    def __init__(
        self,
        options: SymbolOptions,
        warn: Callable[[str], None],
        vdsos: Optional[VdsoImages] = None,
    ) -> None:
        """Calls ``warn`` with the reason if a file is missing or may be the wrong one.

        ``vdsos`` are the images in the capture.
        """
        self._vdsos = vdsos or VdsoImages()
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
        self,
        build_id: Optional[bytes],
        paths: Iterable[str],
        state: Optional[FileState] = None,
    ) -> Optional[ElfFile]:
        """Returns the file that was mapped from these paths, None if it is not found.

        The most recently used files remain open.
        """
        named = sorted(
            path
            for path in paths
            if (path.startswith("/") and (build_id or not is_anonymous(path)))
            or build_id in self._vdsos
        )
        if not named:
            return None
        key = file_key(build_id, named[0], state)
        # Keep the files in the order of their last use.
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
        found = self._first(key[0], paths, key[2])
        if not isinstance(found, str):
            return found
        if tried is None:
            self._warn(f"{paths[0]} {found}")
        self._missing.setdefault(key, set()).update(paths)
        return None

    def _first(
        self, build_id: Optional[bytes], paths: list[str], state: Optional[FileState]
    ) -> Union[ElfFile, str]:
        """Returns the best matching file, or the reason why no file matches."""
        if not libdw.available():
            return "cannot be read without libdw.so.1"
        if build_id is not None and build_id in self._vdsos:
            return _in_memory(self._vdsos[build_id])
        found = _Found(build_id, state)
        for path in self._candidates(build_id, paths, found):
            try:
                found.add(ElfFile(path, self._debuginfod, self._debug), path)
            except (OSError, ValueError):
                continue
            if found.is_enough():
                break
        file = found.best()
        if file is not None:
            if found.fit < SURE:
                text = "has changed since it was recorded, and has no build ID"
                self._warn(f"{paths[0]} {text}: its function names may be wrong")
            return file
        why = "has another build ID" if found.different else "cannot be read"
        remedy = "use --symfs DIR for a directory that has the file"
        return f"{why}, so its symbols are missing: {remedy}"

    def _candidates(
        self, build_id: Optional[bytes], paths: list[str], found: _Found
    ) -> Iterator[str]:
        """Yields paths where the file may be, the best ones first.

        The caller adds the files at these paths to ``found``. The last paths are costly
        to find, and are yielded only if ``found`` still has no file with code.
        """
        symfs = self._options.symfs
        yield from _copies(paths, symfs)
        if build_id is None or not is_unique(build_id):
            return
        yield from _by_build_id(build_id.hex(), [*symfs, *self._debug])
        if found.code is None:
            yield from _files_in(symfs)
        if found.code is None:
            fetched = self._debuginfod.executable(build_id, paths[0])
            if fetched is not None:
                yield fetched


class _Found:
    """The files that match; one may have the code and another one the symbols."""

    def __init__(self, build_id: Optional[bytes], state: Optional[FileState]) -> None:
        self.code: Optional[ElfFile] = None
        self.fit = 0  # how well the file matches: SURE or less
        self.different = False  # a file had another build ID
        self._build_id, self._state = build_id, state
        self._richest: Optional[tuple[ElfFile, str]] = None

    def add(self, file: ElfFile, path: str) -> None:
        """Adds a file if it matches at least as well as all earlier ones."""
        fit = self._fit(file, path)
        if fit < max(1, self.fit):
            self.different |= fit == 0
            return
        if fit > self.fit:
            self.fit, self.code, self._richest = fit, None, None
        if self._richest is None or file.wealth > self._richest[0].wealth:
            self._richest = file, path
        if self.code is None and file.has_code:
            self.code = file

    def is_enough(self) -> bool:
        """Returns whether no other file is needed.

        Without a build ID, the symbols of one file need not match the code of another.
        Therefore the first file with code is enough.
        """
        if self.code is None or self._richest is None or self.fit < SURE:
            return False
        return self._build_id is None or self._richest[0].wealth == FULL

    def _fit(self, file: ElfFile, path: str) -> int:
        """Returns how well a file matches: from 0, not at all, to SURE."""
        if self._build_id is not None or self._state is None:
            return SURE if self._build_id in (None, file.build_id()) else 0
        if self._state.go_build_id is not None:
            return SURE if self._state.go_build_id == file.go_build_id() else 0
        now = os.stat(path)
        there = self._state.size, self._state.mtime_ns
        return SURE if (now.st_size, now.st_mtime_ns) == there else SURE - 1

    def best(self) -> Optional[ElfFile]:
        """Returns the file with the code, else one with only symbols, or None."""
        if self._richest is None:
            return None
        file, path = self._richest
        if self.code is None or self.code is file:
            return file
        self.code.debug_file = path
        return self.code


def _in_memory(image: bytes) -> Union[ElfFile, str]:
    """Returns an ELF file in memory, or the reason why it cannot be used."""
    descriptor = os.memfd_create("vdso", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, image)
        return ElfFile(f"/proc/self/fd/{descriptor}")
    except (OSError, ValueError) as error:
        return f"in the capture cannot be used: {error}"
    finally:
        os.close(descriptor)


def _copies(paths: list[str], symfs: Sequence[str]) -> Iterator[str]:
    # Yields the paths of copies in ``symfs``, then the original paths.
    #
    # In old captures, names of deleted files end with the kernel's " (deleted)".
    plain = [path.removesuffix(DELETED) for path in paths]
    names = list(dict.fromkeys([*paths, *plain]))
    for name in names:
        for directory in symfs:
            yield os.path.join(directory, name.lstrip("/"))
            yield os.path.join(directory, os.path.basename(name))
    yield from names


def _files_in(directories: Sequence[str]) -> Iterator[str]:
    """Yields all files in the directories."""
    for directory in directories:
        try:
            yield from sorted(e.path for e in os.scandir(directory) if e.is_file())
        except OSError:
            continue


def _by_build_id(build_id: str, directories: Sequence[str]) -> Iterator[str]:
    """Yields the paths at which distributions and perf store files by build ID."""
    name = f".build-id/{build_id[:2]}/{build_id[2:]}"
    for directory in (*directories, DEBUG):
        yield f"{directory}/{name}"
        yield f"{directory}/{name}.debug"
    try:
        yield str(Path.home() / ".debug" / name / "elf")  # perf's cache
    except RuntimeError:
        return  # there is no home directory
