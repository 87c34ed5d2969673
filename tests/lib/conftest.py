# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the programs that call the libraries' functions."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def errors_of(programs: Path) -> Callable[[str], dict[str, str]]:
    """Return a function that runs a program and returns "RESULT ERRNO" of each call."""
    if Path("/dev/perfmon").exists():
        pytest.skip("this machine has a /dev/perfmon")

    def run(name: str) -> dict[str, str]:
        done = subprocess.run(
            [programs / name], capture_output=True, text=True, check=True
        )
        return dict(line.split(": ", 1) for line in done.stdout.splitlines())

    return run
