# SPDX-License-Identifier: MIT OR GPL-2.0
"""Set up all tests: restore SIGINT, and build the host's programs once per run.

Only one of several parallel test processes (pytest -n) builds at a time.
"""

from __future__ import annotations

import platform
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure() -> None:
    """Restore SIGINT, because a shell starts background jobs with SIGINT ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def programs() -> Path:
    """Build the host's programs, and return their directory."""
    (ROOT / "build").mkdir(exist_ok=True)
    subprocess.run(
        ["flock", "build/programs.lock", "make", "-s", "-f", "tests/programs.mk"],
        cwd=ROOT,
        check=True,
    )
    machine = platform.machine()
    return ROOT / "build" / {"aarch64": "arm64"}.get(machine, machine)
