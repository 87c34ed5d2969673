# SPDX-License-Identifier: MIT OR GPL-2.0
"""Writes files as a whole, and what cannot be replaced as it is."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterable, Iterator

from .opening import BadInput

STANDARD_OUTPUT = ("-", "/dev/stdout")


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A new file, which takes the place of ``path`` at the end.

    If there is an error within, OSError among them, it is gone and ``path`` stays.
    Links are followed; what is no regular file, such as a pipe, is not replaced but
    gets what was written.
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
    """The path stands for where a command prints."""
    return str(path) in STANDARD_OUTPUT


def check_target(path: Path, sources: Iterable[str]) -> None:
    """BadInput if what would be written is what is read."""
    for source in sources:
        try:
            same = path.is_file() and os.path.samefile(path, source)
        except OSError:
            same = False
        if same:
            raise BadInput(f"{path} is the capture that is read: choose another file")


def _beside(path: Path, target: Path | None) -> Path:
    """A new empty file, in the directory of ``target``; errors name ``path``."""
    prefix, place = (None, None) if target is None else (f".{target.name}.", target)
    try:
        handle, name = tempfile.mkstemp(prefix=prefix, dir=place and place.parent)
    except OSError as error:
        assert error.errno is not None
        raise OSError(error.errno, error.strerror, str(path)) from None
    os.close(handle)
    return Path(name)


def _pour(new: Path, path: Path) -> None:
    """Writes the file to what is no regular file."""
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
