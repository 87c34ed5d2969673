# SPDX-License-Identifier: MIT OR GPL-2.0
"""Firmware with Secure Boot enabled, and Debian's boot loaders for it.

The firmware is OVMF with Microsoft's keys, as on new machines. The firmware boots
Debian's shim from a disk. shim loads GRUB (after MokManager, if keys are to be
enrolled), and GRUB loads the kernel. Each of these programs loads only signed code.
Packages are fetched into the cache and never installed.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import packages

ARCH = "amd64"
CODE = "usr/share/OVMF/OVMF_CODE_4M.secboot.fd"
# The EFI variables of a new machine, with Microsoft's keys enrolled.
VARIABLES = "usr/share/OVMF/OVMF_VARS_4M.ms.fd"
# The files of the boot loaders: package, path in the package, path on the disk.
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
    """The firmware of a machine, and the disk from which it boots.

    code: file with the firmware's code. variables: file with its variables, to which
    the firmware and the guest write. disk: directory with the boot loaders.
    """

    code: Path
    variables: Path
    disk: Path


def fetch() -> Path:
    """Fetch all packages; return OVMF's directory.

    Raises packages.PackageError if a package cannot be fetched.
    """
    for package, _, _ in LOADERS:
        packages.unpacked_any(package, ARCH)
    return packages.unpacked_any("ovmf", ARCH)


def firmware(variables: Path, disk: Path) -> Firmware:
    """Return the firmware of a machine; create its disk with the boot loaders.

    If the file `variables` does not exist, it is created with the values of a new
    machine. Raises packages.PackageError or OSError.
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
    """Write a kernel to the disk; GRUB boots it with these `words`. Raises OSError."""
    shutil.copy(image, disk / "vmlinuz")
    shutil.copy(initramfs, disk / "initrd")
    config = disk / GRUB_CONFIG
    config.parent.mkdir()
    lines = ("set timeout=0", f"linux /vmlinuz {words}", "initrd /initrd", "boot")
    config.write_text("".join(f"{line}\n" for line in lines))
