#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""The release of Debian that this runs on: what it has by default.

    host.py {kernel|gcc}

kernel  the series of its own kernel, whose headers are installed: 6.1, 6.12, ...
gcc     the version of its compiler, as it stands in names of packages and programs
"""

from __future__ import annotations

import re
import subprocess
import sys

import packages

HEADERS = "linux-headers-cloud-amd64"


class HostError(Exception):
    """Something that belongs to every host is missing; the text says what to do."""


def kernel() -> str:
    """Return the series of the kernel that the release has by default.

    Raises HostError if its headers are not installed.
    """
    version = packages.installed_version(HEADERS)
    series = re.match(r"\d+\.\d+", version or "")
    if series is None:
        raise HostError(f"{HEADERS} is not installed: apt-get install {HEADERS}")
    return series[0]


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
    answers = {"kernel": kernel, "gcc": gcc}
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
