# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check what the Makefile would build if parts are left out. Nothing is built."""

from __future__ import annotations

import subprocess
from pathlib import Path

import kernel_source
import kernels
import pytest

ROOT = Path(__file__).resolve().parents[2]
# This recipe replaces one that would run the kernel's make even with make -n.
MODULES = "build-modules=@echo modules for $2 "
ARM64 = {
    "user-arm64",
    *(f"modules-arm64-{series}" for series in kernels.SUPPORTED["arm64"]),
}
# Words in the commands that build for arm64. make prints these commands even if the
# tree is already built.
FOR_ARM64 = ("UARCH=arm64", "--arch arm64 ")


def commands(goal: str, build: Path, *left_out: str) -> str:
    """Return the commands that make would run for a goal without these parts.

    make only prints the commands, so files that they would create are missing. With -k
    it continues nevertheless.
    """
    (build / "left-out").mkdir(parents=True)
    for name in left_out:
        (build / "left-out" / name).write_text("missing\n")
    done = subprocess.run(
        ["make", "-n", "-s", "-k", f"BUILD={build}", MODULES, goal],
        cwd=ROOT,
        env=kernel_source.build_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return done.stdout


def test_full_build_with_nothing_left_out(tmp_path: Path) -> None:
    printed = commands("built", tmp_path)
    for word in (*FOR_ARM64, "UARCH=i386", "--arch x86_64 "):
        assert word in printed


def test_build_without_cross_compiler_skips_arm64(tmp_path: Path) -> None:
    printed = commands("built", tmp_path, *ARM64)
    for word in FOR_ARM64:
        assert word not in printed
    assert "UARCH=x86_64" in printed
    for series in kernels.SUPPORTED["x86_64"]:
        assert f"--arch x86_64 --kernel {series} " in printed


def test_build_skips_modules_of_missing_kernel(
    tmp_path: Path,
) -> None:
    printed = commands("built-modules", tmp_path, "modules-x86_64-6.12", *ARM64)
    assert "modules for x86_64-6.1 " in printed
    assert "modules for x86_64-6.12 " not in printed
    assert "arm64" not in printed


def test_build_without_i386_libraries(
    tmp_path: Path,
) -> None:
    printed = commands("guest-x86_64", tmp_path, "user-i386")
    assert "user-i386" in printed and "UARCH=i386" not in printed


@pytest.mark.parametrize("goal", ["kunit", "style"])
def test_check_of_left_out_part_is_skipped(goal: str, tmp_path: Path) -> None:
    assert f"test -e {tmp_path}/left-out/" in commands(goal, tmp_path)
