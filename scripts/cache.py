# SPDX-License-Identifier: MIT OR GPL-2.0
"""The cache directory: downloads and build results that several runs share.

An entry of the cache is a directory that is either complete or missing: an entry is
filled under a temporary name beside it, and renamed when it is complete. A lock keeps
two runs from filling the same entry at the same time.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


def root() -> Path:
    """Return the cache directory; create it if necessary."""
    chosen = os.environ.get("PERFMON_CACHE")
    if chosen:
        path = Path(chosen)
    else:
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        path = Path(home) / "perfmon"
    path = path.absolute()
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(name: str, shared: bool = False) -> Iterator[None]:
    """Hold the cache's lock called `name`; wait while another process holds it.

    With `shared`, several processes can hold the lock at the same time.
    """
    path = root() / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def filling(entry: Path) -> Iterator[Path]:
    """Yield a temporary directory that becomes `entry` when the block succeeds.

    If the block raises, the temporary directory is removed and `entry` is not made.
    The caller holds a lock that keeps other processes from filling the same entry.
    """
    entry.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{entry.name}.", dir=entry.parent))
    temporary.chmod(0o755)
    try:
        yield temporary
        temporary.rename(entry)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def replace(path: Path, content: bytes) -> None:
    """Replace a file by a new one with this content.

    Other hard links to the old file keep the old content. If the file already has this
    content, do nothing, so that make rebuilds nothing.
    """
    if path.exists() and path.read_bytes() == content:
        return
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(content)
    new.rename(path)
