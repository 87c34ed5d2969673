# SPDX-License-Identifier: MIT OR GPL-2.0
"""The extract command: write each buffer of a capture to a file."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, TextIO

from ..capture.file import Capture
from ..recording import Source
from ..text import amount, json_text, printable
from .outcome import OK, blaming, warn

SESSION = "session.json"


def run(arguments: argparse.Namespace) -> int:
    """Writes the files; returns the exit status."""
    show = print_json if arguments.json else print_text
    with blaming(arguments.file), open(arguments.file, "rb") as stream:
        capture = Capture(stream)
        show(capture, arguments.directory, sys.stdout)
    for problem in capture.problems:
        warn(arguments.file, problem)
    return OK


@dataclass(frozen=True)
class Extracted:
    """A written file, the context whose buffer it has, and its size in bytes."""

    file: str
    context: int
    bytes: int


def extract(source: Source, directory: Path) -> Iterator[Extracted]:
    """Writes the session and each buffer. Raises OSError if a file already exists."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / SESSION, "xb") as out:
        out.write(source.session_text)
    for number, buffer in enumerate(source.buffers()):
        path = directory / f"{number:06}-context-{buffer.context}.bin"
        with open(path, "xb") as out:
            out.write(buffer.data)
        yield Extracted(str(path), buffer.context, len(buffer.data))


def print_json(source: Source, directory: Path, out: TextIO) -> None:
    """Writes the files and prints one JSON object, see docs/pfmparse.md."""
    buffers = [vars(written) for written in extract(source, directory)]
    document = {"session": str(directory / SESSION), "buffers": buffers}
    out.write(json_text(document))
    out.write("\n")


def print_text(source: Source, directory: Path, out: TextIO) -> None:
    """Writes the files and prints a line for each buffer."""
    for written in extract(source, directory):
        out.write(f"{printable(written.file)}: {amount(written.bytes, 'bytes')}\n")
