# SPDX-License-Identifier: MIT OR GPL-2.0
"""Debian's releases: the host's release, and lines of sources.list for any release.

A release is named by its code name; "trixie-backports" is trixie plus the packages of
its backports. All releases are fetched from the mirror that the host uses.
"""

from __future__ import annotations

import platform
import re
import subprocess

# Suffixes in the names of a stable release's other suites.
UPDATES = "-updates"
SECURITY = "-security"
BACKPORTS = "-backports"
# The release that has no suites for updates and security.
UNSTABLE = "sid"


class ReleaseError(Exception):
    """The mirror of a release is unknown; the message says what to do."""


def host() -> str:
    """Return the code name of the host's release, or "" if the host is not Debian."""
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        return ""
    return system.get("VERSION_CODENAME", "") if system["ID"] == "debian" else ""


def base(release: str) -> str:
    """Return a release's name without "-backports"."""
    return release.removesuffix(BACKPORTS)


def sources(release: str) -> list[str]:
    """Return the lines of sources.list for a release.

    Raises ReleaseError if the host's sources do not name Debian's mirror.
    """
    here = host()
    mirror = _uri(here)
    name = base(release)
    if name == UNSTABLE:
        # Package lists of sid expire after a week, but a mirror may be further behind.
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
    """Return the URI from which the host's apt gets a suite."""
    asked = ["apt-get", "-o", "Debug::NoLocking=1", "--print-uris", "update"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    found = re.search(rf"^'(.*)/dists/{re.escape(suite)}/", told, re.MULTILINE)
    if found:
        return found.group(1)
    raise ReleaseError(
        f"apt's sources do not name Debian's suite {suite}; "
        "add it to /etc/apt/sources.list"
    )
