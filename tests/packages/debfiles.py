# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the project's packages for a Debian release: this version and the next one."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import debs
import readme
import source_tree
from machine import FOLDER, USER, Machine, as_user

ROOT = Path(__file__).resolve().parents[2]
# Create a new format and its packages. The model "device" has the most files.
NEW_FORMAT = (
    "DEBFULLNAME='A. Uthor' DEBEMAIL=author@example.org "
    "sdk/pfm-new-format mine --model device && make -C mine deb"
)


def version() -> str:
    """Return the version of the tree."""
    return (ROOT / "VERSION").read_text(encoding="ascii").strip()


def next_version() -> str:
    """Return a version that apt considers newer than this one."""
    return f"{version()}.1"


def build(builder: Machine, release: str, into: Path) -> None:
    """Build the packages on a machine as README.md describes; copy them to ``into``.

    Raises AssertionError with the output if a line of README fails.
    """
    folder = builder.tree / FOLDER.format(USER).strip("/")
    folder.mkdir()
    source_tree.copy(ROOT, folder)
    builder.run(f"chown -R {USER}: /home/{USER}")
    first, *rest = readme.building()
    builder.run(as_user(USER, first))
    builder.run(as_user(USER, "git init -q && git add --all"))
    for line in rest:
        builder.run(as_user(USER, line))
    shutil.copytree(folder / _built(release), into)


def lint(builder: Machine, release: str) -> subprocess.CompletedProcess[str]:
    """Run lintian on packages that a machine has built, including those of a format.

    Raises AssertionError with the output if the format's packages cannot be built.
    """
    builder.run("apt-get -q --no-install-recommends install lintian")
    builder.run(as_user(USER, NEW_FORMAT))
    command = f"{shlex.join(debs.LINTIAN)} {_built(release)}/*.changes *.changes"
    return builder.run(as_user(USER, command), check=False)


def give(machine: Machine, release: str, folder: Path) -> None:
    """Put packages into the folder where the commands in README expect them."""
    place = machine.tree / FOLDER.format(USER).strip("/") / _built(release)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for package in folder.glob("*.deb"):
        shutil.copy(package, place)
    machine.run(f"chown -R {USER}: /home/{USER}")


def _built(release: str) -> str:
    """Return the directory of a release's packages in the tree."""
    return f"build/debs/{release}"


def follow(folder: Path, target: Path) -> Path:
    """Write the packages of the next version to `target`, and return this folder.

    The packages are as if only VERSION and the changelog had changed. Their programs
    still print the old version.
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
