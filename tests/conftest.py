# SPDX-License-Identifier: MIT OR GPL-2.0
"""Builds the host's programs, once for all tests of this run.

Its processes (pytest -n) do it one after the other.
"""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def programs() -> Path:
    """Return the directory with the host's freshly built programs."""
    (ROOT / "build").mkdir(exist_ok=True)
    subprocess.run(
        ["flock", "build/programs.lock", "make", "-s", "-f", "tests/programs.mk"],
        cwd=ROOT,
        check=True,
    )
    machine = platform.machine()
    return ROOT / "build" / {"aarch64": "arm64"}.get(machine, machine)
