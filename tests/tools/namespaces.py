# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run programs with other files in place of some of the machine's."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

NAMESPACE = ("unshare", "--map-root-user", "--mount", "sh", "-ec")


def run_with(
    files: Mapping[str, Path], program: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run a program that finds the values of ``files`` in place of their keys.

    Skip the test if mount namespaces or replaced files are missing.
    """
    mounts = "".join(f"mount --bind {new} {old}; " for old, new in files.items())
    if subprocess.run([*NAMESPACE, mounts], capture_output=True).returncode:
        pytest.skip(f"mount namespaces or one of {', '.join(files)} are missing")
    return subprocess.run(
        [*NAMESPACE, mounts + 'exec "$@"', "sh", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
