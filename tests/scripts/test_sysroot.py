# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test from which releases scripts/sysroot.py takes packages."""

from __future__ import annotations

import sys
from pathlib import Path

import debian
import packages
import pytest
import sysroot


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of unpacked packages, each as "RELEASE NAME".

    RELEASE is omitted for packages of the host's release.
    """
    found: list[str] = []

    def unpacked_any(name: str, _: str, release: str) -> Path:
        found.append(f"{release} {name}".strip())
        tree = tmp_path / name
        tree.mkdir()
        return tree

    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(packages, "unpacked_any", unpacked_any)
    return found


def test_libraries_come_from_host_release(
    unpacked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "host", lambda: "bookworm")
    sysroot.sysroot("arm64")
    assert unpacked == list(sysroot.PACKAGES)


def test_incomplete_library_comes_from_other_release(
    unpacked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "host", lambda: "trixie")
    sysroot.sysroot("arm64")
    assert "bookworm libelf-dev" in unpacked
    assert "libelf-dev" not in unpacked
    assert "zlib1g-dev" in unpacked


@pytest.mark.parametrize(
    ("words", "status", "err"),
    [
        (["arm64"], 0, ""),
        (["mips"], 2, "usage: sysroot.py "),
        ([], 2, "usage: sysroot.py "),
    ],
)
def test_sysroot_command_prints_the_directory(
    words: list[str],
    status: int,
    err: str,
    unpacked: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(debian, "host", lambda: "bookworm")
    monkeypatch.setattr(sys, "argv", ["sysroot.py", *words])
    assert sysroot.main() == status
    printed = capsys.readouterr()
    assert printed.err.startswith(err) and bool(printed.err) == bool(err)
    assert Path(printed.out.strip()).is_dir()


def test_sysroot_without_packages_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: str) -> Path:
        raise packages.PackageError("no network")

    monkeypatch.setattr(packages, "unpacked_any", fail)
    monkeypatch.setattr(sys, "argv", ["sysroot.py", "arm64"])
    assert sysroot.main() == 1
    assert capsys.readouterr().err == "sysroot.py: no network\n"
