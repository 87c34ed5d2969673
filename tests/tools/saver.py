# SPDX-License-Identifier: MIT OR GPL-2.0
"""Save generated sampling buffers with buffer_saver."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chunks import Buffer, buffers_of

ENTRY = 40


@dataclass(frozen=True)
class Outcome:
    """The answers and messages of buffer_saver, and the buffers that it has saved."""

    answers: list[str]
    messages: str
    saved: list[Buffer]


Saver = Callable[..., Outcome]


def default_header(count: int, offset: int, size: int) -> bytes:
    """Return the header of a buffer of the default format."""
    return struct.pack("<QQQQQII80x", count, offset, 0, size, ENTRY, 1 << 16, 0)


def saver_of(program: Path, directory: Path) -> Saver:
    """Return a function that sends commands to the buffer_saver `program`.

    If one of the commands is of type bytes, it is written to a file, and the file's
    path is appended to the command before it.
    """

    def run(module: str, *commands: str | bytes) -> Outcome:
        lines: list[str] = []
        for number, command in enumerate(commands):
            if isinstance(command, bytes):
                path = directory / f"{number}"
                path.write_bytes(command)
                lines[-1] += f" {path}"
            else:
                lines.append(command)
        capture = directory / "capture"
        done = subprocess.run(
            [
                program,
                *("-e", "cpu-clock", "--long-smpl-periods=1000", "-o", capture),
                *(f"--smpl-module={module}", "true"),
            ],
            input="\n".join([*lines, ""]),
            capture_output=True,
            text=True,
            check=True,
        )
        saved = buffers_of(capture.read_bytes())
        return Outcome(done.stdout.splitlines(), done.stderr, saved)

    return run
