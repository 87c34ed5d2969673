# SPDX-License-Identifier: MIT OR GPL-2.0
"""The disk of a guest that has a Debian root, and the kernel installed in that root."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import kernels

# MiB that the guest can write; what it does not write takes no place on the host.
ROOM = 2048


class DiskError(Exception):
    """A root cannot be booted; the text says why and what to do about it."""


def images(root: Path) -> dict[str, Path]:
    """Return the images of the kernels that a root has, by release.

    Some packages of today have them beside the modules.
    """
    prefix = "vmlinuz-"
    beside = {path.parent.name: path for path in root.glob("usr/lib/modules/*/vmlinuz")}
    boot = root.glob(f"boot/{prefix}*")
    return beside | {path.name.removeprefix(prefix): path for path in boot}


def kernel(root: Path, release: str | None) -> kernels.Kernel:
    """Return the kernel of that release that a root has, without one its only kernel.

    Raises DiskError.
    """
    found = sorted(images(root))
    if release is None and len(found) == 1:
        release = found[0]
    if release not in found:
        raise DiskError(
            f"no kernel {release} in {root}; name one with --kernel: {', '.join(found)}"
            if found
            else f"no kernel in {root}; install one there: linux-image-cloud-amd64"
        )
    return kernels.Kernel("x86_64", release, release, "", "")


def image(root: Path, kernel: kernels.Kernel) -> Path:
    """Return the path of the kernel's image in a root."""
    return images(root)[kernel.release]


def modules(root: Path, kernel: kernels.Kernel) -> Path:
    """Return the kernel's own directory lib/modules/RELEASE in a root."""
    return root / "usr/lib/modules" / kernel.release


def write(root: Path, target: Path) -> None:
    """Write a file system with all that is in a root to `target`.

    Raises DiskError.
    """
    if os.geteuid() != 0:
        raise DiskError(f"{root} can be read only by root; run this as root")
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
