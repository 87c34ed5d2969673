# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print simulated counts with count_printer."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Counts:
    """Run count_printer with options and a script of simulated results."""

    program: Path

    def run(self, options: str, *script: str) -> subprocess.CompletedProcess[str]:
        """Return the finished process; without -o, it has printed the counts."""
        if "-o" not in options.split():
            options = f"-o - {options}"
        return subprocess.run(
            [self.program, *options.split(), "true"],
            input="".join(f"{line}\n" for line in script),
            capture_output=True,
            text=True,
            check=False,
        )

    def printed(self, options: str, *script: str) -> str:
        done = self.run(options, *script)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def lines(self, options: str, *script: str) -> list[list[str]]:
        """Return the words of each line."""
        return [line.split() for line in self.printed(options, *script).splitlines()]


def thread(*counts: int | str) -> list[str]:
    """Return the lines of a script that set the counts of a thread."""
    return ["thread 7 worker", *map(_count, counts)]


def cpu(number: int, *counts: int | str) -> list[str]:
    return [f"cpu {number}", *map(_count, counts)]


def _count(count: int | str) -> str:
    return f"count {count}" if isinstance(count, int) else count
