#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print the default or newest kernel, or the compiler, of this host's Debian release.

    host.py {kernel|newest|gcc}

kernel  print the name of the release's default kernel, such as 6.1 or 6.12-deb13; its
        headers must be installed
newest  print the name of the release's newest kernel that the tests use
gcc     print the compiler's major version, as in the package name gcc-12
"""

from __future__ import annotations

import subprocess
import sys

import debian
import kernels
import packages

HEADERS = "linux-headers-cloud-amd64"


class HostError(Exception):
    """Kernel headers or the compiler are missing; the message says what to do."""


def _usual() -> dict[str, kernels.Series]:
    """Return the known kernels, of all releases, with the flavour of HEADERS."""
    return {
        name: series
        for name, series in kernels.KERNELS.items()
        if series.flavour == "cloud"
    }


def kernel() -> str:
    """Return the name of the release's default kernel.

    Raises HostError if its headers are not installed or the kernel is unknown.
    """
    version = packages.installed_version(HEADERS)
    if version is None:
        raise HostError(f"{HEADERS} is missing: run 'apt-get install {HEADERS}'")
    for name, series in _usual().items():
        here = debian.base(series.release) == debian.host()
        if here and version.startswith(series.version):
            return name
    known = ", ".join(_usual())
    raise HostError(
        f"{HEADERS} {version} of {debian.host() or 'this release'} is not for one of "
        f"the known kernels: {known}"
    )


def newest() -> str:
    """Return the name of the release's newest kernel. Raises HostError."""
    for name, series in reversed(_usual().items()):
        if series.release == debian.host():
            return name
    raise HostError(f"no known kernel for {debian.host() or 'this release'}")


def gcc() -> str:
    """Return the default compiler's version. Raises HostError if gcc is missing."""
    try:
        command = ["gcc", "-dumpversion"]
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise HostError(
            "gcc is missing: run 'apt-get install build-essential'"
        ) from error
    return said.stdout.strip().partition(".")[0]


def main() -> int:
    """Print the requested value; return the exit status."""
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
