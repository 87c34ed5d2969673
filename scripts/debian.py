# SPDX-License-Identifier: MIT OR GPL-2.0
"""Debian's releases: the host's own, and the sources of apt for each of them.

A release is named by its code name; "trixie-backports" is trixie with the packages of
its backports to choose from. Every release comes from where the host's own does.
"""

from __future__ import annotations

import platform
import re
import subprocess

# Where the packages of stable releases are, beside their first suite.
UPDATES = "-updates"
SECURITY = "-security"
BACKPORTS = "-backports"
# It has one suite.
UNSTABLE = "sid"


class ReleaseError(Exception):
    """It is not known where a release's packages are; the text says what to do."""


def host() -> str:
    """Return the code name of the release that runs here, "" if it is not Debian."""
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        return ""
    return system.get("VERSION_CODENAME", "") if system["ID"] == "debian" else ""


def base(release: str) -> str:
    """Return the release itself, without backports."""
    return release.removesuffix(BACKPORTS)


def sources(release: str) -> list[str]:
    """Return the lines of a sources.list of a release.

    Raises ReleaseError if the host's sources do not tell where Debian's packages are.
    """
    here = host()
    mirror = _uri(here)
    name = base(release)
    if name == UNSTABLE:
        # Its lists are valid for a week only, and a mirror may lag behind.
        return [f"deb [check-valid-until=no] {mirror} {UNSTABLE} main"]
    security = _uri(here + SECURITY)
    lines = [
        f"deb {mirror} {name} main",
        f"deb {mirror} {name}{UPDATES} main",
        f"deb {security} {name}{SECURITY} main",
    ]
    if release != name:
        lines.append(f"deb {mirror} {release} main")
    return lines


def _uri(suite: str) -> str:
    """Return where the host's apt finds a suite."""
    asked = ["apt-get", "-o", "Debug::NoLocking=1", "--print-uris", "update"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    found = re.search(rf"^'(.*)/dists/{re.escape(suite)}/", told, re.MULTILINE)
    if found:
        return found.group(1)
    raise ReleaseError(
        f"the sources of apt do not name Debian's suite {suite}; "
        "add it to /etc/apt/sources.list"
    )
