#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run a command on the other release of Debian that is a host: 12 on 13, 13 on 12.

    other_host.py [COMMAND...]      default: make run

It runs in a root of that release with the packages of `make run`, in a copy of the tree
below build/, where what it builds stays for the next time. The cache is the host's own.
"""

from __future__ import annotations

import os
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
    """Return the other release. Raises debian.ReleaseError on a third one."""
    here = debian.host()
    if here not in OTHERS:
        raise debian.ReleaseError(f"{here or 'this'} is no release with another one")
    return OTHERS[here]


def root() -> Path:
    """Return the root of the other release; it is made if need be.

    Raises one of roots.ERRORS.
    """
    show = ["make", "-s", "--eval", "shown:; @echo $(RUN_PACKAGES)", "shown"]
    asked = subprocess.run(
        show,
        cwd=TREE,
        env=kernel_source.build_environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return roots.root(release(), asked.stdout.split())


def copied_tree() -> Path:
    """Return a copy of the project's files, with what was built there before.

    Raises source_tree.TreeError.
    """
    copy = COPIES / release()
    copy.mkdir(parents=True, exist_ok=True)
    for old in copy.iterdir():
        if old.is_dir() and old.name != "build":
            shutil.rmtree(old)
    source_tree.copy(TREE, copy)
    return copy


def main() -> int:
    """Run the command; return its exit status."""
    command = sys.argv[1:] or ["make", "run"]
    if command[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    try:
        tree = root()
        copy = copied_tree()
    except (source_tree.TreeError, *roots.ERRORS) as error:
        print(f"other_host.py: {error}", file=sys.stderr)
        return 1
    environment = kernel_source.build_environment()
    program, arguments = roots.exec_arguments(tree, command, copy)
    os.execvpe(program, arguments, {**environment, "PATH": roots.PATH})


if __name__ == "__main__":
    sys.exit(main())
