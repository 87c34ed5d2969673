#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print the directory with the libraries for a statically linked pfmon.

    scripts/sysroot.py arm64|i386

Debian's development packages of that architecture are fetched into the cache and merged
into one tree; nothing is installed. The packages come from the host's release, except
for those in TAKEN_FROM. The C library comes with the compiler.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

import cache
import debian
import packages

ARCHITECTURES = ("arm64", "i386")
PACKAGES = (
    *("libdeflate-dev", "libelf-dev", "libjson-c-dev", "libpfm4-dev", "uuid-dev"),
    "zlib1g-dev",  # for libelf.a
)
# Packages that come from a different release than the host's. libelf.a of elfutils
# 0.192 lacks functions that it calls, so static programs cannot be linked with it.
TAKEN_FROM = {("trixie", "libelf-dev"): "bookworm"}
ERRORS = (packages.PackageError, debian.ReleaseError)


def sysroot(arch: str) -> Path:
    """Return a directory with the merged content of the packages.

    Raises one of ERRORS if a package cannot be downloaded.
    """
    here = debian.host()
    trees = [
        packages.unpacked_any(name, arch, TAKEN_FROM.get((here, name), ""))
        for name in PACKAGES
    ]
    names = "\n".join(tree.name for tree in trees)
    key = hashlib.sha256(names.encode()).hexdigest()[:16]
    entry = cache.root() / f"sysroot-{arch}-{key}"
    if entry.is_dir():
        return entry
    with cache.locked("sysroot"):
        if not entry.is_dir():
            with cache.filling(entry) as merged:
                for tree in trees:
                    shutil.copytree(tree, merged, symlinks=True, dirs_exist_ok=True)
    return entry


def main() -> int:
    """Print the directory; return the exit status."""
    if len(sys.argv) != 2 or sys.argv[1] not in ARCHITECTURES:
        print(f"usage: sysroot.py {'|'.join(ARCHITECTURES)}", file=sys.stderr)
        return 2
    try:
        print(sysroot(sys.argv[1]))
    except ERRORS as error:
        print(f"sysroot.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
