# SPDX-License-Identifier: MIT OR GPL-2.0
"""The outcome of a command: its exit status, and its messages about bad input."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from ..errors import PfmParseError
from ..text import message

OK = 0
BAD_INPUT = 1


class BadInput(Exception):
    """Wrong options, or an unreadable file. The message names the option or file."""


def warn(file: str, problem: object) -> None:
    """Prints a problem with a file to standard error."""
    message(f"{file}: {problem}")


@contextmanager
def blaming(file: str) -> Iterator[None]:
    """Converts PfmParseError and OSError in its block to BadInput with ``file``."""
    try:
        yield
    except PfmParseError as error:
        raise BadInput(f"{file}: {error}") from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BadInput(f"{error.filename or file}: {error.strerror}") from error


@contextmanager
def printing() -> Iterator[None]:
    """Converts OSError in its block to BadInput that names the standard output."""
    with blaming("standard output"):
        yield
