# SPDX-License-Identifier: MIT OR GPL-2.0
"""Ask session_printer for the configuration that pfmon passes to the kernel."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

EVENTS = ("-e", "cycles,instructions", "--long-smpl-periods=1000")

PERIOD = 1000
EVERY_PMD = 320
ENTRY_HEADER = 40


class Printer:
    """Run session_printer and decode its output."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *arguments, "true"],
            capture_output=True,
            text=True,
            check=False,
        )

    def session(self, *arguments: str) -> Any:
        run = self.run(*arguments)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    def arg(self, *arguments: str) -> bytes:
        return bytes.fromhex(self.session(*EVENTS, *arguments)["format"]["arg"])


def without_kernel() -> None:
    if Path("/sys/kernel/perfmon/pmu_desc").exists():
        pytest.skip("this machine has a PMU description, so the PMDs differ")


def room(entries: int, pmds: int) -> int:
    """Return the bytes that a buffer needs for `entries` entries with `pmds` PMDs each.

    A buffer is full when the largest possible entry no longer fits, so the last entry
    needs as much space as the largest possible one.
    """
    largest = ENTRY_HEADER + 8 * EVERY_PMD
    return (entries - 1) * (ENTRY_HEADER + 8 * pmds) + largest
