# SPDX-License-Identifier: MIT OR GPL-2.0
"""The disk of a guest that boots a Debian root file system, and the kernel on it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import kernels

# Free space on the guest's disk in MiB. The image is sparse, so this takes no space on
# the host.
ROOM = 2048


class DiskError(Exception):
    """A root file system cannot be booted; the message says why, and what to do."""


def images(root: Path) -> dict[str, Path]:
    """Return the kernel images in a root file system, by release.

    In recent kernel packages, the image is in the directory of the modules.
    """
    prefix = "vmlinuz-"
    beside = {path.parent.name: path for path in root.glob("usr/lib/modules/*/vmlinuz")}
    boot = root.glob(f"boot/{prefix}*")
    return beside | {path.name.removeprefix(prefix): path for path in boot}


def kernel(root: Path, release: str | None) -> kernels.Kernel:
    """Return the kernel of this release in a root file system.

    Without `release`, returns the only kernel. Raises DiskError.
    """
    found = sorted(images(root))
    if release is None and len(found) == 1:
        release = found[0]
    if not found:
        raise DiskError(f"no kernel in {root}; install linux-image-cloud-amd64 in it")
    if release not in found:
        problem = f"no kernel '{release}'" if release else "several kernels"
        known = ", ".join(found)
        raise DiskError(f"{problem} in {root}; choose with --kernel: {known}")
    return kernels.Kernel("x86_64", release, release, "", "")


def image(root: Path, kernel: kernels.Kernel) -> Path:
    """Return the path of the kernel's image in a root file system."""
    return images(root)[kernel.release]


def modules(root: Path, kernel: kernels.Kernel) -> Path:
    """Return the kernel's own directory lib/modules/RELEASE in a root file system."""
    return root / "usr/lib/modules" / kernel.release


def write(root: Path, target: Path) -> None:
    """Write an image of a root file system to `target`.

    Raises DiskError.
    """
    if os.geteuid() != 0:
        raise DiskError(f"{root} can only be read by root; run this as root")
    used = subprocess.run(
        ["du", "-s", "-m", str(root)], capture_output=True, text=True, check=True
    )
    size = int(used.stdout.split()[0]) + ROOM
    program = ["/usr/sbin/mke2fs", "-q", "-t", "ext4", "-m", "0"]
    options = ["-O", "^has_journal", "-d", str(root)]
    made = subprocess.run(
        [*program, *options, str(target), f"{size}M"],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        raise DiskError(f"mke2fs failed: {made.stderr.strip()}")
