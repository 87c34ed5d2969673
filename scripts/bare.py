# SPDX-License-Identifier: MIT OR GPL-2.0
"""Roots of bare machines, on which the project's packages are tried."""

from __future__ import annotations

import os
from pathlib import Path

import roots

# What a machine has on which nothing was installed but Debian.
PACKAGES = ("linux-image-cloud-amd64", "systemd", "udev", "kmod", "sudo")
# Where the packages of each release come from.
SOURCES = {"bookworm": "bookworm", "trixie": "trixie-backports"}


def root(release: str) -> Path:
    """Return the root of a bare machine; it is made if need be.

    Raises one of roots.ERRORS.
    """
    if os.geteuid() != 0:
        raise roots.RootError("only root can write the disk of a machine")
    return roots.root(SOURCES[release], PACKAGES, bare=True)
