# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write output files atomically, or stream to files that cannot be replaced."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterable, Iterator

from .outcome import BadInput

STANDARD_OUTPUT = ("-", "/dev/stdout")


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Creates a file for a with block; at the block's end it replaces ``path``.

    If the block raises an error, the new file is removed and ``path`` is unchanged.
    Symbolic links are followed. If ``path`` is not a regular file but, for example, a
    pipe, the new file's contents are copied to it instead.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    streamed = is_standard_output(path) or (path.exists() and not path.is_file())
    target = path if streamed else Path(os.path.realpath(path))
    new = _beside(path, None if streamed else target)
    try:
        yield new
        if streamed:
            _pour(new, path)
        else:
            new.chmod(0o666 & ~_umask())
            new.replace(target)
    finally:
        new.unlink(missing_ok=True)


def is_standard_output(path: Path) -> bool:
    """Returns whether the path means standard output."""
    return str(path) in STANDARD_OUTPUT


def check_target(path: Path, sources: Iterable[str]) -> None:
    """Raises BadInput if the output file is also an input."""
    for source in sources:
        try:
            same = path.is_file() and os.path.samefile(path, source)
        except OSError:
            same = False
        if same:
            raise BadInput(f"{path} is also an input: choose another output file")


def _beside(path: Path, target: Path | None) -> Path:
    """Returns a new empty file in the directory of ``target``; errors name ``path``.

    If ``target`` is None, the file is in the directory for temporary files.
    """
    prefix, place = (None, None) if target is None else (f".{target.name}.", target)
    try:
        handle, name = tempfile.mkstemp(prefix=prefix, dir=place and place.parent)
    except OSError as error:
        assert error.errno is not None
        raise OSError(error.errno, error.strerror, str(path)) from None
    os.close(handle)
    return Path(name)


def _pour(new: Path, path: Path) -> None:
    """Copies the file to standard output or to a file that is not regular."""
    with open(new, "rb") as whole:
        if is_standard_output(path):
            sys.stdout.flush()
            shutil.copyfileobj(whole, sys.stdout.buffer)
            return
        with open(path, "wb") as out:
            shutil.copyfileobj(whole, out)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
