# SPDX-License-Identifier: MIT OR GPL-2.0
"""Ask maps_printer for the mappings of test processes."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO


class Printer:
    """Ask maps_printer repeatedly for changes of one process's mappings."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def news(self) -> Any:
        """Return the decoded chunk, or None if nothing has changed."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "maps_printer died"
        return json.loads(line) if line.strip() else None


@contextmanager
def printer(
    programs: Path,
    pid: int,
    *options: str,
    prefix: Sequence[str] = (),
    stderr: TextIO | None = None,
) -> Iterator[Printer]:
    with subprocess.Popen(
        [*prefix, programs / "maps_printer", str(pid), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
    ) as process:
        yield Printer(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0


@contextmanager
def running(program: bytes) -> Iterator[int]:
    """Run a copy of cat that waits for input, and yield its PID."""
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"x")
        process.stdin.flush()
        process.stdout.read(1)
        try:
            yield process.pid
        finally:
            process.kill()


def build_id(path: Path) -> str | None:
    notes = subprocess.run(
        ["readelf", "--notes", path], capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", notes)
    return found.group(1) if found else None


def entry_of(chunk: Any, path: str) -> Any:
    (entry,) = [entry for entry in chunk["maps"] if entry["path"] == path]
    return entry
