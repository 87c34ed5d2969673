# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the maintainer scripts and DKMS settings with fake system programs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

DEBIAN = Path(__file__).resolve().parents[2] / "debian"
FAKES = {"getent": "exit 0", "ischroot": "exit 0", "groupdel": "exit 8"}


def test_failing_groupdel_does_not_stop_purge(tmp_path: Path) -> None:
    for name, script in FAKES.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        ["sh", DEBIAN / "perfmon-dkms.postrm", "purge"],
        env={**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stderr == "perfmon-dkms: cannot remove the group perfmon\n"


@pytest.mark.parametrize(
    "kernel, built",
    [
        *(("5.10.0-30-amd64", False), ("6.0.0-6-amd64", False)),
        *(("6.1.0-40-amd64", True), ("6.12.48+deb13-cloud-amd64", True)),
        *(("7.0.1+deb14-amd64", True), ("10.0.0-1-arm64", True)),
    ],
)
def test_dkms_kernel_pattern(kernel: str, built: bool) -> None:
    # DKMS compares the release in this way.
    script = '. "$1" && [[ $2 =~ $BUILD_EXCLUSIVE_KERNEL ]]'
    conf = str(DEBIAN / "perfmon-dkms.dkms")
    done = subprocess.run(["bash", "-c", script, "bash", conf, kernel])
    assert (done.returncode == 0) == built


@pytest.mark.parametrize(
    "kernel, refused",
    [
        *(("6.1.0-56-rt-amd64", True), ("6.11.2-rt-amd64", True)),
        *(("6.12.117+deb12-rt-amd64", False), ("7.3.4+deb13-rt-amd64", False)),
    ],
)
def test_dkms_builds_for_realtime_kernel(kernel: str, refused: bool) -> None:
    # DKMS sets kernelver before it reads the file.
    script = '. "$1" && [[ $BUILD_EXCLUSIVE_CONFIG == *!CONFIG_PREEMPT_RT* ]]'
    conf = str(DEBIAN / "perfmon-dkms.dkms")
    known = {**os.environ, "kernelver": kernel}
    done = subprocess.run(["bash", "-c", script, "bash", conf], env=known)
    assert (done.returncode == 0) == refused
