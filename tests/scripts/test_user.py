# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check which commands make would run for user-space goals on different machines."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import kernel_source
import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN = [("x86_64", "x86_64"), ("aarch64", "arm64"), ("riscv64", "riscv64")]


def commands(machine: str, place: Path, *words: str, tree: Path = ROOT) -> str:
    """Return the commands that make would run on a machine of this name."""
    shim = place / "uname"
    shim.write_text(f"#!/bin/sh\necho {machine}\n")
    shim.chmod(0o755)
    path = f"{place}:{os.environ['PATH']}"
    done = subprocess.run(
        # With -B, make assumes that nothing has been built.
        ["make", "-n", "-B", "-s", *words],
        cwd=tree,
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


def cache_version(place: Path, tree: Path) -> str:
    """Return the version of pfmon's unwind-table compiler.

    It is part of the name of each cached table.
    """
    file = "build/x86_64/obj/tools/pfmon/stacks/table_cache.o"
    printed = commands("x86_64", place, "-f", "scripts/user.mk", file, tree=tree)
    (version,) = re.findall(r"-DPFM_UNWIND_COMPILER='\"(\w{16})\"'", printed)
    return str(version)


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ("tools/pfmon/unwind/frames_x86_64.c", False),
        ("tools/pfmon/unwind/machine.h", False),
        ("sdk/include/perfmon/perfmon_unwind.h", False),
        ("tools/pfmon/stacks/table_set.c", True),
        ("VERSION", True),
    ],
)
def test_cached_tables_are_of_one_compiler(
    tmp_path: Path, changed: str, kept: bool
) -> None:
    tree = tmp_path / "tree"
    for folder in ("scripts", "tools/pfmon", "sdk/include"):
        shutil.copytree(ROOT / folder, tree / folder)
    shutil.copy(ROOT / "VERSION", tree)
    before = cache_version(tmp_path, tree)
    with (tree / changed).open("a") as file:
        file.write("\n")
    assert (cache_version(tmp_path, tree) == before) == kept
