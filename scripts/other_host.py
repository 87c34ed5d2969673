#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run a command on Debian 12 or 13, whichever the host does not run.

    other_host.py [COMMAND...]              default: make run
    other_host.py --check [COMMAND...]      default: make check

The command runs in a root file system of that release, with the packages that the
default command needs. The working directory is a copy of the source tree below build/;
build results in it are kept. The command uses the host's cache. With --check, the copy
of the tree is a git repository. The root file system is then a temporary copy, because
tests change files in it.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

import debian
import kernel_source
import roots
import source_tree

TREE = roots.TREE
COPIES = TREE / "build/other-host"
OTHERS = {"bookworm": "trixie", "trixie": "bookworm"}


def release() -> str:
    """Return the other release. Raises debian.ReleaseError on unsupported hosts."""
    here = debian.host()
    if here not in OTHERS:
        raise debian.ReleaseError(
            f"the host must run Debian 12 or 13, not {here or 'another system'}"
        )
    return OTHERS[here]


def root() -> Path:
    """Return the root file system for `make run`; create it if necessary.

    Raises one of roots.ERRORS.
    """
    return roots.root(release(), _listed("RUN_PACKAGES"))


def root_for_check(copy: Path) -> Path:
    """Return the root file system for `make check`; create it if necessary.

    Some package names depend on the release. Therefore build_parts.py of the copied
    tree, `copy`, is executed in the other release to print them. Raises one of
    roots.ERRORS.
    """
    asked = roots.run(
        root(), ["scripts/build_parts.py", "--packages"], copy, check=True, capture=True
    )
    return roots.root(release(), [*_listed("CHECK_PACKAGES"), *asked.stdout.split()])


def _listed(variable: str) -> list[str]:
    """Return the words in a variable of the Makefile."""
    asked = subprocess.run(
        ["make", "-s", "--eval", f"shown:; @echo $({variable})", "shown"],
        cwd=TREE,
        env=kernel_source.build_environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return asked.stdout.split()


def copied_tree() -> Path:
    """Return an updated copy of the project's files, with earlier build results.

    Raises source_tree.TreeError.
    """
    copy = COPIES / release()
    copy.mkdir(parents=True, exist_ok=True)
    for old in copy.iterdir():
        if old.is_file():
            old.unlink()
        elif old.name != "build":
            shutil.rmtree(old)
    source_tree.copy(TREE, copy)
    return copy


def make_known_to_git(copy: Path) -> None:
    """Add all files of a copy to a new git repository, for the style checks."""
    for command in (["init", "-q"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=copy, check=True)


def main() -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="prepare for make check")
    parser.add_argument("command", nargs="...", help="command to run there")
    arguments = parser.parse_args()
    try:
        copy = copied_tree()
        if arguments.check:
            make_known_to_git(copy)
            tree = root_for_check(copy)
        else:
            tree = root()
    except (source_tree.TreeError, *roots.ERRORS) as error:
        print(f"other_host.py: {error}", file=sys.stderr)
        return 1
    command = arguments.command or ["make", "check" if arguments.check else "run"]
    environment = kernel_source.build_environment()
    place = roots.copied(tree) if arguments.check else contextlib.nullcontext(tree)
    with place as tree:
        done = subprocess.run(
            roots.exec_arguments(tree, command, copy)[1],
            env={**environment, "PATH": roots.PATH},
            check=False,
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
