# SPDX-License-Identifier: MIT OR GPL-2.0
"""Which large entries of the cache are in use, and which are of no more use.

They are roots, kernels for KUnit and debug kernels. Beside an entry is a file with
names of what it was asked for, packages of a root. Who uses the entry holds a lock on
that file, and changes it before: its time is that of the last use.
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
# Without use for as long, an entry is of none.
KEPT = 14 * DAY
# No run takes as long: what has another name is left of one that was interrupted.
LEFT = DAY

# The end of that file's name, from when all were roots.
NOTE = ".packages"
# Locks end with this process, or with what is executed in its place.
_locks: dict[Path, IO[str]] = {}


def use(entry: Path, names: list[str]) -> None:
    """Keep an entry, which need not be there yet, as long as this process runs."""
    entry.parent.mkdir(parents=True, exist_ok=True)
    with cache.locked("kept"):
        if entry not in _locks:
            _locks[entry] = open(_note(entry), "a", encoding="ascii")
            os.set_inheritable(_locks[entry].fileno(), True)
            fcntl.flock(_locks[entry], fcntl.LOCK_SH)
        _note(entry).write_text(f"{' '.join(names)}\n", encoding="ascii")


def prune(made: Path, remove: Callable[[Path], object]) -> None:
    """Remove what is of no use beside an entry, now that it has been made.

    `remove` is called with a directory that has what nobody finds any more.
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
    """Return the names of each entry of the same kind, which need not be there."""
    with cache.locked("kept"):
        purposes = [_purpose(each) for each in sorted(_entries(entry.parent))]
    return [names.split() for kind, names in purposes if names and kind == _kind(entry)]


def _note(entry: Path) -> Path:
    return entry.with_name(f"{entry.name}{NOTE}")


def _entries(directory: Path) -> set[Path]:
    """Return the entries that are there, begun, or only noted down."""
    return {
        path.with_name(path.name.removesuffix(NOTE)) for path in directory.glob("*")
    }


def _is_useless(entry: Path, made: Path) -> bool:
    """Tell whether nobody will ask for an entry again, or it never was complete."""
    if entry.name.startswith("."):
        return _idle(entry) > LEFT
    replaced = _purpose(entry) == _purpose(made)
    return (replaced or _idle(entry) > KEPT) and not _is_used(entry)


def _purpose(entry: Path) -> tuple[str, str | None]:
    """Return what an entry is of, and its names as far as they are known."""
    note = _note(entry)
    names = note.read_text(encoding="ascii") if note.exists() else None
    return _kind(entry), names


def _kind(entry: Path) -> str:
    """Return the name of an entry without its key."""
    return entry.name.rpartition("-")[0]


def _idle(entry: Path) -> float:
    """Return for how many seconds nobody has begun to use a directory."""
    times = [path.stat().st_ctime for path in (entry, _note(entry)) if path.exists()]
    return time.time() - max(times)


def _is_used(entry: Path) -> bool:
    """Tell whether a process keeps an entry."""
    if not _note(entry).exists():
        return False
    with open(_note(entry), encoding="ascii") as note:
        try:
            fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
