# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/vm/initramfs.py with packages of several releases."""

from __future__ import annotations

from pathlib import Path

import initramfs
import packages
import pytest


@pytest.mark.parametrize("directory", ["bin", "usr/bin"])
def test_busybox_is_found_below_bin_and_usr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, directory: str
) -> None:
    program = tmp_path / directory / "busybox"
    program.parent.mkdir(parents=True)
    program.touch()
    monkeypatch.setattr(packages, "unpacked_any", lambda name, arch: tmp_path)
    monkeypatch.setattr(packages, "native", lambda: "amd64")
    assert initramfs.busybox("arm64") == program


def test_installed_busybox_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetched: list[str] = []

    def fetch(name: str, arch: str) -> Path:
        fetched.append(arch)
        return Path()

    monkeypatch.setattr(packages, "unpacked_any", fetch)
    monkeypatch.setattr(packages, "native", lambda: "amd64")
    monkeypatch.setattr(packages, "installed_version", lambda name: "1")
    assert initramfs.busybox("x86_64") == Path("/bin/busybox")
    assert not fetched
