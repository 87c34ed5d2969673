# SPDX-License-Identifier: MIT OR GPL-2.0
"""The project's packages for a release, of this version and of the next."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import debian

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build/debs"


def version() -> str:
    """Return the version of the tree."""
    return (ROOT / "VERSION").read_text(encoding="ascii").strip()


def next_version() -> str:
    """Return a version that apt thinks newer."""
    return f"{version()}.1"


def build(release: str) -> Path:
    """Build the packages of the tree for a release; return their folder.

    Raises AssertionError with what `make debs` printed; lintian has to be content.
    """
    other = () if release == debian.host() else (f"RELEASE={release}",)
    done = subprocess.run(
        ["make", "-s", "debs", "LINTIAN=1", *other],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return BUILT / release


def follow(folder: Path, target: Path) -> Path:
    """Write the next version of packages to `target`, and return it.

    It is what would be built after a change of VERSION and changelog alone, but for
    what programs say of their version.
    """
    target.mkdir(parents=True)
    for package in sorted(folder.glob("*.deb")):
        tree = target / package.stem
        subprocess.run(["dpkg-deb", "-R", str(package), str(tree)], check=True)
        for path in (tree / "DEBIAN").iterdir():
            _renumber(path)
        for sources in (tree / "usr/src").glob(f"*-{version()}"):
            _renumber(sources / "dkms.conf")
            _renumber(sources / "VERSION")
            renamed = sources.name.replace(version(), next_version())
            sources.rename(sources.with_name(renamed))
        name = package.name.replace(version(), next_version())
        pack = ["dpkg-deb", "--root-owner-group", "-Znone", "-b"]
        subprocess.run(
            [*pack, str(tree), str(target / name)],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        shutil.rmtree(tree)
    return target


def _renumber(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(version(), next_version()), encoding="utf-8")
