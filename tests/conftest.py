# SPDX-License-Identifier: MIT OR GPL-2.0
"""What all tests rely on: interrupts, and the host's programs, built once for a run.

Its processes (pytest -n) build them one after the other.
"""

from __future__ import annotations

import platform
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure() -> None:
    """Let interrupts arrive: in the background, a script's shell has them ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
