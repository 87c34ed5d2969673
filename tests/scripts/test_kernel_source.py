# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/kernel_source.py with a small source tree in place of the kernel's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import kernel_source
import packages
import pytest


@pytest.fixture(name="tarball")
def fixture_tarball(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a tarball like that of the package linux-source; return its path."""
    (tmp_path / "linux-source/kernel").mkdir(parents=True)
    (tmp_path / "linux-source/kernel/fork.c").touch()
    path = tmp_path / "linux-source.tar"
    tar = ["tar", "-c", "-C", str(tmp_path), "-f", str(path), "linux-source"]
    subprocess.run(tar, check=True)
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel_source, "TARBALL", path)
    monkeypatch.setattr(packages, "installed_version", lambda name: "6.12.1")
    return path


def test_kernel_source_is_unpacked_once(tarball: Path) -> None:
    source = kernel_source.pristine()
    assert source.name == "linux-source-6.12_6.12.1"
    assert (source / "kernel/fork.c").exists()
    (source / "kernel/fork.c").unlink()
    assert kernel_source.pristine() == source
    assert not (source / "kernel/fork.c").exists()


@pytest.mark.parametrize("lacks", ["package", "tarball"])
def test_missing_kernel_source_names_the_package(
    lacks: str, tarball: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lacks == "package":
        monkeypatch.setattr(packages, "installed_version", lambda name: None)
    else:
        tarball.unlink()
    with pytest.raises(kernel_source.SourceError, match="install linux-source-6.12"):
        kernel_source.pristine()


def test_build_environment_lacks_variables_of_make(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARCH", "arm64")
    monkeypatch.setenv("MAKEFLAGS", "-j4")
    monkeypatch.setenv("KEPT", "1")
    found = kernel_source.build_environment()
    assert found["KEPT"] == "1" and not {"ARCH", "MAKEFLAGS"} & found.keys()
