# SPDX-License-Identifier: MIT OR GPL-2.0
"""Track which large entries of the cache are in use, and delete unused ones.

Entries are root file systems, kernels for KUnit and debug kernels. Beside each entry, a
note file lists what the entry was made for, such as the packages of a root file system.
Each process that uses the entry first locks and rewrites the note, so the note's
modification time is the time of the last use.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import cache

DAY = 24 * 3600
# Seconds after which an unused entry is deleted.
KEPT = 14 * DAY
# Seconds after which a temporary directory is assumed to be from an interrupted run.
LEFT = DAY

# The suffix of a note file. The name is from the time when all entries were root file
# systems.
NOTE = ".packages"
# The locked notes. A lock is held until this process, or a program that it executes,
# ends.
_locks: dict[Path, IO[str]] = {}


def use(entry: Path, names: list[str]) -> None:
    """Protect an entry, even a missing one, from prune() while this process runs."""
    entry.parent.mkdir(parents=True, exist_ok=True)
    with cache.locked("kept"):
        if entry not in _locks:
            _locks[entry] = open(_note(entry), "a", encoding="ascii")
            os.set_inheritable(_locks[entry].fileno(), True)
            fcntl.flock(_locks[entry], fcntl.LOCK_SH)
        _note(entry).write_text(f"{' '.join(names)}\n", encoding="ascii")


def prune(made: Path, remove: Callable[[Path], object]) -> None:
    """Remove the unused entries beside `made`, an entry that has just been made.

    `remove` deletes the directory into which the unused entries were moved.
    """
    with cache.locked("kept"):
        useless = [each for each in _entries(made.parent) if _is_useless(each, made)]
        gone = Path(tempfile.mkdtemp(prefix=".gone-", dir=made.parent))
        for entry in useless:
            _note(entry).unlink(missing_ok=True)
            if entry.is_dir():
                entry.rename(gone / entry.name)
    remove(gone)


def names_beside(entry: Path) -> list[list[str]]:
    """Return the names in the note of each entry of the same kind as `entry`.

    `entry` need not exist.
    """
    with cache.locked("kept"):
        purposes = [_purpose(each) for each in sorted(_entries(entry.parent))]
    return [names.split() for kind, names in purposes if names and kind == _kind(entry)]


def _note(entry: Path) -> Path:
    return entry.with_name(f"{entry.name}{NOTE}")


def _entries(directory: Path) -> set[Path]:
    """Return all entries: complete ones, temporary ones, and those with only a note."""
    return {
        path.with_name(path.name.removesuffix(NOTE)) for path in directory.glob("*")
    }


def _is_useless(entry: Path, made: Path) -> bool:
    """Return whether to remove an entry.

    A temporary entry is removed if an interrupted run has left it. Any other entry is
    removed if `made` replaces it, or if its last use began more than KEPT seconds ago,
    but not while a process uses it.
    """
    if entry.name.startswith("."):
        return _idle(entry) > LEFT
    replaced = _purpose(entry) == _purpose(made)
    return (replaced or _idle(entry) > KEPT) and not _is_used(entry)


def _purpose(entry: Path) -> tuple[str, str | None]:
    """Return the kind of an entry and the text of its note (None without a note)."""
    note = _note(entry)
    names = note.read_text(encoding="ascii") if note.exists() else None
    return _kind(entry), names


def _kind(entry: Path) -> str:
    """Return the name of an entry without its digest."""
    return entry.name.rpartition("-")[0]


def _idle(entry: Path) -> float:
    """Return the seconds since the start of the last use of an entry."""
    times = [path.stat().st_ctime for path in (entry, _note(entry)) if path.exists()]
    return time.time() - max(times)


def _is_used(entry: Path) -> bool:
    """Return whether a process holds an entry's lock."""
    if not _note(entry).exists():
        return False
    with open(_note(entry), encoding="ascii") as note:
        try:
            fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
