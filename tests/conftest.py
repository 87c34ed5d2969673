# SPDX-License-Identifier: MIT OR GPL-2.0
"""Builds the host's programs, once for all tests of this run."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def programs() -> Path:
    """Return the directory with the host's freshly built programs."""
    subprocess.run(
        ["make", "-s", "-f", "tests/programs.mk"],
        cwd=ROOT,
        check=True,
    )
    machine = platform.machine()
    return ROOT / "build" / {"aarch64": "arm64"}.get(machine, machine)
