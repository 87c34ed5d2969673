# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the user-space goals on different machines without running the commands."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import kernel_source
import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN = [("x86_64", "x86_64"), ("aarch64", "arm64"), ("riscv64", "riscv64")]


def commands(machine: str, place: Path, *words: str) -> str:
    """Return the commands that make would run on a machine of this name."""
    shim = place / "uname"
    shim.write_text(f"#!/bin/sh\necho {machine}\n")
    shim.chmod(0o755)
    path = f"{place}:{os.environ['PATH']}"
    done = subprocess.run(
        # With -B, make assumes that nothing has been built.
        ["make", "-n", "-B", "-s", *words],
        cwd=ROOT,
        env={**kernel_source.build_environment(), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(("machine", "name"), OWN)
def test_programs_are_built_for_host_arch(
    machine: str, name: str, tmp_path: Path
) -> None:
    printed = commands(machine, tmp_path, "user")
    assert set(re.findall(r" -o (build/\w+)/", printed)) == {f"build/{name}"}
    compilers = re.findall(r"^(\S+) .* -o ", printed, re.MULTILINE)
    assert set(compilers) == {"gcc"}
    assert "-static" not in printed
    assert f" -o build/{name}/libperfmon.so.0 " in printed


@pytest.mark.parametrize(("machine", "name"), OWN)
def test_install_uses_host_arch_build(machine: str, name: str, tmp_path: Path) -> None:
    printed = commands(machine, tmp_path, "install")
    assert f"scripts/install.py install --build build/{name} " in printed


def test_unsupported_target_arch_is_refused(
    tmp_path: Path,
) -> None:
    said = commands("aarch64", tmp_path, "-f", "scripts/user.mk", "UARCH=x86_64")
    assert "UARCH=x86_64 cannot be built on arm64" in said
