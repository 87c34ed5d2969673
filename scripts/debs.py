#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the Debian packages, on the host or in a root file system of another release.

    debs.py [--release RELEASE] [--lintian] PACKAGE...

PACKAGEs are the build dependencies. For the host's release, they must be installed; for
another release, a root file system with them is made. The source tree is copied to a
separate directory (source_tree.py) and built there. The built packages are written to
build/debs/RELEASE.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import roots
import source_tree

ROOT = Path(__file__).resolve().parents[1]
BUILD = ["dpkg-buildpackage", "--unsigned-source", "--unsigned-changes"]
LINTIAN = [
    "lintian",
    "--allow-root",
    "--fail-on",
    "error,warning",
    "--tag-display-limit=0",
]
# The pattern is strict, because the directory build/debs/RELEASE is removed.
RELEASE = re.compile(r"[a-z]+(-backports)?")
# The number of last lines of dpkg-buildpackage's output that are shown on failure.
SHOWN_LINES = 40


class DebsError(Exception):
    """The packages cannot be built; the message says why."""


# All exceptions that are raised if the packages cannot be built.
ERRORS = (DebsError, source_tree.TreeError, *roots.ERRORS)


def host_release() -> str:
    """Return the name of the host's release."""
    return platform.freedesktop_os_release().get("VERSION_CODENAME", "unknown")


def emptied(release: str) -> Path:
    """Return the directory for the packages of a release, after emptying it."""
    if not RELEASE.fullmatch(release):
        raise DebsError(
            f"RELEASE='{release}' is not a release: use bookworm, trixie, ..."
        )
    out = ROOT / "build/debs" / release
    try:
        if out.exists():
            shutil.rmtree(out)
        out.mkdir(parents=True)
    except PermissionError as error:
        raise DebsError(
            f"{error.filename} belongs to another user who has built packages here; "
            "remove it: sudo rm -r build/debs"
        ) from None
    return out


def environment() -> dict[str, str]:
    """Return an environment with Debian's PATH, without variables of an outer make."""
    kept = {name: text for name, text in os.environ.items() if "MAKE" not in name}
    # Do not build -dbgsym packages, so that users can install *.deb.
    own = {"DEB_BUILD_OPTIONS": "noautodbgsym", "LC_ALL": "C.UTF-8"}
    return {**kept, **own, "PATH": roots.PATH}


def build(command: Sequence[str], tree: Path, log: Path) -> None:
    """Run dpkg-buildpackage in the copied tree; its output goes to `log`."""
    with open(log, "w", encoding="utf-8") as stream:
        done = subprocess.run(
            command,
            cwd=tree,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )
    if done.returncode != 0:
        lines = log.read_text(errors="replace").splitlines()
        told = "\n".join(lines[-SHOWN_LINES:])
        raise DebsError(f"{told}\ndpkg-buildpackage failed; its output is in {log}")


def debs(release: str, needed: list[str], lintian: bool) -> Path:
    """Build the packages of a release; return the directory with them.

    Raises DebsError, or what source_tree.copy() and roots.root() raise.
    """
    out = emptied(release)
    tree = out / "source"
    tree.mkdir()
    source_tree.copy(ROOT, tree)

    def inside(command: list[str], cwd: Path) -> list[str]:
        if release == host_release():
            return command
        root = roots.root(release, [*needed, "lintian"])
        return roots.exec_arguments(root, command, cwd)[1]

    print(f"building packages for {release}", file=sys.stderr, flush=True)
    build(inside(BUILD, tree), tree, out / "build.log")
    shutil.rmtree(tree)
    if lintian:
        (changes,) = out.glob("*.changes")
        done = subprocess.run(
            inside([*LINTIAN, str(changes)], out), cwd=out, env=environment()
        )
        if done.returncode != 0:
            raise DebsError("lintian found problems; see above")
    return out


def main() -> int:
    """Run the program; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", default=host_release(), help="bookworm, trixie")
    parser.add_argument("--lintian", action="store_true", help="run lintian")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE")
    arguments = parser.parse_args()
    try:
        out = debs(arguments.release, arguments.packages, arguments.lintian)
    except (*ERRORS, subprocess.CalledProcessError, OSError) as error:
        print(f"debs.py: {error}", file=sys.stderr)
        return 1
    for package in sorted(out.glob("*.deb")):
        print(package.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
