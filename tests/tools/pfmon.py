# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run pfmon on a machine without perfmon."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

USAGE = 2
ERROR = 1
# The dry run prints this line unless --no-inherit is given.
INHERITED = "inherited by the threads and processes that it creates"
SAMPLING = ("-e", "cpu-clock", "--long-smpl-periods=1000")


class Pfmon:
    """Run pfmon and return its output."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *arguments], capture_output=True, text=True, check=False
        )


def without_kernel() -> None:
    if Path("/dev/perfmon").exists():
        pytest.skip("this machine has a /dev/perfmon")


def complaint_of(pfmon: Pfmon, arguments: tuple[str, ...]) -> str:
    """Run pfmon with a usage error; return the message."""
    run = pfmon(*arguments)
    assert run.returncode == USAGE
    assert run.stdout == ""
    return run.stderr
