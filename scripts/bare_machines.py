# SPDX-License-Identifier: MIT OR GPL-2.0
"""Root file systems of bare Debian machines, to test the project's packages."""

from __future__ import annotations

import os
from pathlib import Path

import roots

# The packages of a machine on which only Debian is installed.
PACKAGES = ("linux-image-cloud-amd64", "systemd", "udev", "kmod", "sudo")
# The suite from which the machine is installed, by release.
SOURCES = {"bookworm": "bookworm", "trixie": "trixie-backports"}


def root(release: str) -> Path:
    """Return the root file system of a bare machine; create it if necessary.

    Raises one of roots.ERRORS.
    """
    if os.geteuid() != 0:
        raise roots.RootError("only root can write a machine's disk: run this as root")
    return roots.root(SOURCES[release], PACKAGES, bare=True)
