#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""The unpacked source of Debian's 6.12 kernel, from which tests build kernels.

As a command, this prints the directory.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cache
import packages

PACKAGE = "linux-source-6.12"
TARBALL = Path("/usr/src/linux-source-6.12.tar.xz")
# Variables that an outer make may set for another build.
FOREIGN_VARIABLES = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "ARCH", "CROSS_COMPILE", "CC")


class SourceError(Exception):
    """The kernel's source is missing; the message says what to do."""


def pristine() -> Path:
    """Return the unpacked source of the installed package.

    Raises SourceError if the package is not installed.
    """
    version = packages.installed_version(PACKAGE)
    if version is None or not TARBALL.is_file():
        raise SourceError(
            f"{PACKAGE} is not installed: run 'apt-get install {PACKAGE}'"
        )
    entry = cache.root() / "sources" / f"{PACKAGE}_{version}"
    with cache.locked("sources"):
        if not entry.is_dir():
            print(f"unpacking {TARBALL.name}", file=sys.stderr, flush=True)
            with cache.filling(entry) as tree:
                unpack = ["tar", "-x", "-f", str(TARBALL), "-C", str(tree)]
                subprocess.run([*unpack, "--strip-components=1"], check=True)
    return entry


def build_environment() -> dict[str, str]:
    """Return an environment for a build, without variables of an outer make."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in FOREIGN_VARIABLES
    }


if __name__ == "__main__":
    try:
        print(pristine())
    except SourceError as error:
        sys.exit(f"kernel_source: {error}")
