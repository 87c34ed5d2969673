# SPDX-License-Identifier: MIT OR GPL-2.0
"""The extract command: the buffers of a capture, a file each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, TextIO

from ..recording import Source

SESSION = "session.json"


@dataclass(frozen=True)
class Extracted:
    """A file that was written, the context of its buffer, and its bytes."""

    file: str
    context: int
    bytes: int


def extract(source: Source, directory: Path) -> Iterator[Extracted]:
    """Writes the session and each buffer; OSError if a file is there already."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / SESSION, "xb") as out:
        out.write(source.session_text)
    for number, buffer in enumerate(source.buffers()):
        path = directory / f"{number:06}-context-{buffer.context}.bin"
        with open(path, "xb") as out:
            out.write(buffer.data)
        yield Extracted(str(path), buffer.context, len(buffer.data))


def print_json(source: Source, directory: Path, out: TextIO) -> None:
    """One JSON object, as docs/pfmparse.md describes it."""
    buffers = [vars(written) for written in extract(source, directory)]
    json.dump({"session": str(directory / SESSION), "buffers": buffers}, out)
    out.write("\n")


def print_text(source: Source, directory: Path, out: TextIO) -> None:
    """A line for each buffer."""
    for written in extract(source, directory):
        out.write(f"{written.file}: {written.bytes} bytes\n")
