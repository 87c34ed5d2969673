# SPDX-License-Identifier: MIT OR GPL-2.0
"""Common setup of all tests: SIGINT, and the host's programs, built once per run.

Parallel test processes (pytest -n) take turns building them.
"""

from __future__ import annotations

import platform
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure() -> None:
    """Restore SIGINT: a shell starts background jobs with it ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def programs() -> Path:
    """Return the directory with the host's up-to-date programs."""
    (ROOT / "build").mkdir(exist_ok=True)
    subprocess.run(
        ["flock", "build/programs.lock", "make", "-s", "-f", "tests/programs.mk"],
        cwd=ROOT,
        check=True,
    )
    machine = platform.machine()
    return ROOT / "build" / {"aarch64": "arm64"}.get(machine, machine)
