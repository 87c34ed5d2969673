# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test KUnit suites of an out-of-tree format with only the installed SDK."""

from __future__ import annotations

from pathlib import Path

import build_parts
import pytest
from installed_sdk import Sdk

BROKEN = "beyond_kunit.c"


@pytest.fixture
def uml() -> None:
    """Skip a test if this machine cannot build the kernel for the suites."""
    reason = build_parts.left_out("kunit")
    if reason:
        pytest.skip(reason)


def content(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.usefixtures("uml")
def test_kunit_runs_suites_outside_tree(sdk: Sdk, folder: Path) -> None:
    (folder / BROKEN).unlink()
    before = content(folder)
    done = sdk.make(folder, "kunit")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("6 passed, 0 failed, 0 skipped\n")
    assert content(folder) == before


@pytest.mark.usefixtures("uml")
@pytest.mark.parametrize("what", ["buffer", "area"])
def test_first_byte_out_of_bounds_fails(sdk: Sdk, folder: Path, what: str) -> None:
    done = sdk.make(folder, "kunit", f"KUNIT=beyond.writes_behind_the_{what}")
    assert done.returncode != 0
    assert "the kernel reported an error: BUG: KASAN: " in done.stdout
    assert "0 passed, 1 failed, 0 skipped" in done.stdout


@pytest.mark.usefixtures("uml")
def test_compiler_error_names_author_file(sdk: Sdk, folder: Path) -> None:
    with open(folder / "plain_kunit.c", "a", encoding="ascii") as suite:
        suite.write("#error not yet\n")
    done = sdk.make(folder, "kunit")
    assert done.returncode != 0
    assert f"{folder}/plain_kunit.c:" in done.stdout
    assert done.stdout.endswith("no test ran\n0 passed, 0 failed, 0 skipped\n")


def test_folder_without_suite_is_rejected(sdk: Sdk, folder: Path) -> None:
    for suite in folder.glob("*_kunit.c"):
        suite.unlink()
    done = sdk.make(folder, "kunit")
    assert done.returncode != 0
    assert f"{folder} has no suite: add a file *_kunit.c" in done.stderr


def test_folder_without_module_is_rejected(sdk: Sdk, folder: Path) -> None:
    (folder / "Makefile").write_text(f"include {sdk.share}/format.mk\n")
    done = sdk.make(folder, "kunit")
    assert done.returncode != 0
    assert "Makefile names no module: add obj-m := " in done.stderr


def test_missing_build_tools_are_listed(sdk: Sdk, folder: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("make", "gcc", "sh", "sed", "uname", "dpkg-query"):
        (programs / name).symlink_to(f"/usr/bin/{name}")
    done = sdk.make(folder, "kunit", PATH=str(programs))
    assert done.returncode != 0
    assert "apt-get install flex bison bc" in done.stderr
