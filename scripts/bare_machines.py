# SPDX-License-Identifier: MIT OR GPL-2.0
"""Root file systems of bare machines, on which the project's packages are tested."""

from __future__ import annotations

import os
from pathlib import Path

import roots

# The packages of a machine that has only Debian installed.
PACKAGES = ("linux-image-cloud-amd64", "systemd", "udev", "kmod", "sudo")
# The suite from which a machine of each release is installed.
SOURCES = {"bookworm": "bookworm", "trixie": "trixie-backports"}


def root(release: str) -> Path:
    """Return the root file system of a bare machine; create it if necessary.

    Raises one of roots.ERRORS.
    """
    if os.geteuid() != 0:
        raise roots.RootError("only root can write a machine's disk: run this as root")
    return roots.root(SOURCES[release], PACKAGES, bare=True)
