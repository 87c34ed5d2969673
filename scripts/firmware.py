# SPDX-License-Identifier: MIT OR GPL-2.0
"""A machine's firmware with Secure Boot on, and what it boots from, by Debian.

The firmware is OVMF with Microsoft's keys, as machines are sold. It boots Debian's shim
from a disk; that, or MokManager for it, takes GRUB, which takes the kernel, each if it
is signed. Packages are fetched into the cache and never installed.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import packages

ARCH = "amd64"
CODE = "usr/share/OVMF/OVMF_CODE_4M.secboot.fd"
# With Microsoft's keys.
VARIABLES = "usr/share/OVMF/OVMF_VARS_4M.ms.fd"
# Where each loader looks for the next: package, its file, path on the disk.
LOADERS = (
    ("shim-signed", "usr/lib/shim/shimx64.efi.signed", "EFI/BOOT/BOOTX64.EFI"),
    (
        "shim-helpers-amd64-signed",
        "usr/lib/shim/mmx64.efi.signed",
        "EFI/BOOT/mmx64.efi",
    ),
    (
        "grub-efi-amd64-signed",
        "usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed",
        "EFI/BOOT/grubx64.efi",
    ),
)
GRUB_CONFIG = "EFI/debian/grub.cfg"


@dataclass(frozen=True)
class Firmware:
    """What a machine finds when it is switched on.

    code: the firmware. variables: what it remembers, written by it and by the guest.
    disk: the directory with what it boots.
    """

    code: Path
    variables: Path
    disk: Path


def fetch() -> Path:
    """Fetch all that is needed; return OVMF's directory.

    Raises packages.PackageError if it cannot be had.
    """
    for package, _, _ in LOADERS:
        packages.unpacked_any(package, ARCH)
    return packages.unpacked_any("ovmf", ARCH)


def firmware(variables: Path, disk: Path) -> Firmware:
    """Return a firmware with loaders on its disk, a directory that is made.

    `variables` is a new machine's if it does not exist.
    Raises packages.PackageError or OSError.
    """
    ovmf = fetch()
    if not variables.exists():
        shutil.copy(ovmf / VARIABLES, variables)
    for package, source, name in LOADERS:
        target = disk / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(packages.unpacked_any(package, ARCH) / source, target)
    return Firmware(ovmf / CODE, variables, disk)


def write_kernel(disk: Path, image: Path, initramfs: Path, words: str) -> None:
    """Let GRUB boot a kernel with these words as its command line. Raises OSError."""
    shutil.copy(image, disk / "vmlinuz")
    shutil.copy(initramfs, disk / "initrd")
    config = disk / GRUB_CONFIG
    config.parent.mkdir()
    lines = ("set timeout=0", f"linux /vmlinuz {words}", "initrd /initrd", "boot")
    config.write_text("".join(f"{line}\n" for line in lines))
