#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""The release of Debian that this runs on: what it has by default.

    host.py {kernel|newest|gcc}

kernel  the name of its own kernel, whose headers are installed: 6.1, 6.12-deb13
newest  the name of the newest kernel of the release
gcc     the version of its compiler, as it stands in names of packages and programs
"""

from __future__ import annotations

import subprocess
import sys

import debian
import kernels
import packages

HEADERS = "linux-headers-cloud-amd64"


class HostError(Exception):
    """Something that belongs to every host is missing; the text says what to do."""


def kernel() -> str:
    """Return the name of the kernel that the release has by default.

    Raises HostError if its headers are not installed, or it is not known.
    """
    version = packages.installed_version(HEADERS)
    if version is None:
        raise HostError(f"{HEADERS} is not installed: apt-get install {HEADERS}")
    for name, series in kernels.KERNELS.items():
        here = debian.base(series.release) == debian.host()
        if here and version.startswith(series.version):
            return name
    known = ", ".join(kernels.KERNELS)
    raise HostError(
        f"{HEADERS} {version} of {debian.host() or 'this release'} is none of: {known}"
    )


def newest() -> str:
    """Return the name of the newest kernel of the release. Raises HostError."""
    for name, series in reversed(kernels.KERNELS.items()):
        if series.release == debian.host():
            return name
    raise HostError(f"no kernel of {debian.host() or 'this release'} is known")


def gcc() -> str:
    """Return the version of the default compiler. Raises HostError."""
    try:
        command = ["gcc", "-dumpversion"]
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise HostError("gcc is missing: apt-get install build-essential") from error
    return said.stdout.strip().partition(".")[0]


def main() -> int:
    """Print what was asked for; return the exit status."""
    answers = {"kernel": kernel, "newest": newest, "gcc": gcc}
    if len(sys.argv) != 2 or sys.argv[1] not in answers:
        print(f"usage: host.py {'|'.join(answers)}", file=sys.stderr)
        return 2
    try:
        print(answers[sys.argv[1]]())
    except HostError as error:
        print(f"host.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
