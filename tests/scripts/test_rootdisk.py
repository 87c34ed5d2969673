# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/vm/rootdisk.py, which finds kernels and writes disks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import rootdisk


def kernel_at(root: Path, *names: str) -> None:
    """Put kernel images into a root file system."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def test_only_kernel_of_a_root_is_the_default(tmp_path: Path) -> None:
    kernel_at(tmp_path, "boot/vmlinuz-6.1.0-9")
    found = rootdisk.kernel(tmp_path, None)
    assert found.release == "6.1.0-9"
    assert rootdisk.image(tmp_path, found) == tmp_path / "boot/vmlinuz-6.1.0-9"


def test_kernel_of_a_root_may_be_beside_its_modules(tmp_path: Path) -> None:
    kernel_at(tmp_path, "boot/vmlinuz-6.1", "usr/lib/modules/7.3/vmlinuz")
    found = rootdisk.kernel(tmp_path, "7.3")
    modules = rootdisk.modules(tmp_path, found)
    assert rootdisk.image(tmp_path, found) == modules / "vmlinuz"


@pytest.mark.parametrize(
    ("names", "release", "said"),
    [
        ([], None, "no kernel in {}; install linux-image-cloud-amd64 in it"),
        ([], "6.1", "no kernel in {}; install linux-image-cloud-amd64 in it"),
        (["6.1"], "6.2", "no kernel '6.2' in {}; choose with --kernel: 6.1"),
        (["6.2", "6.1"], None, "several kernels in {}; choose with --kernel: 6.1, 6.2"),
    ],
)
def test_missing_kernel_of_a_root_is_named(
    names: list[str], release: str | None, said: str, tmp_path: Path
) -> None:
    kernel_at(tmp_path, *(f"boot/vmlinuz-{name}" for name in names))
    with pytest.raises(rootdisk.DiskError) as error:
        rootdisk.kernel(tmp_path, release)
    assert str(error.value) == said.format(tmp_path)


def test_disk_is_written_by_root_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(rootdisk.DiskError, match="run this as root"):
        rootdisk.write(tmp_path, tmp_path / "disk")


def test_disk_has_the_files_of_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(rootdisk, "ROOM", 8)
    kernel_at(tmp_path, "root/etc/name")
    disk = tmp_path / "disk"
    rootdisk.write(tmp_path / "root", disk)
    shown = subprocess.run(
        ["/usr/sbin/debugfs", "-R", "ls -p /etc", str(disk)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "/name/" in shown.stdout
    with pytest.raises(rootdisk.DiskError, match="mke2fs failed: "):
        rootdisk.write(tmp_path / "root", tmp_path)
