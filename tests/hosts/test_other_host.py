# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run `make run` on Debian 12 or 13, whichever this host does not run.

The kernel, compiler, QEMU and Python are those of the other release.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import build_parts
import host
import other_host
import pytest

SCRIPT = Path(other_host.__file__)


def on_other_host(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command on the other release. Its output is part of this test's output."""
    done = subprocess.run(
        [SCRIPT, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(done.stdout)
    return done


@pytest.fixture(autouse=True)
def root() -> None:
    """Skip the test if the other release's root file system cannot be made here."""
    reason = build_parts.left_out("other-host")
    if reason:
        pytest.skip(reason)


def test_make_run_works_on_other_release() -> None:
    done = on_other_host()
    assert done.returncode == 0
    assert "the shares are correct" in done.stdout
    kernel = on_other_host("scripts/host.py", "kernel").stdout.strip()
    assert kernel != host.kernel()
    assert f"booting Debian's {kernel} kernel" in done.stdout
