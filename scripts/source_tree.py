# SPDX-License-Identifier: MIT OR GPL-2.0
"""The files that a tree of the project consists of, and copies of them.

That is what git knows of the tree, changes included, or all of a tree that has no .git
but what was built there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

# What is no part of a tree without git.
NO_SOURCES = ("build", "__pycache__")


class TreeError(Exception):
    """It is not known what is in the tree; the text says why."""


def names(tree: Path) -> list[str]:
    """Return the names of a tree's files, from there. Raises TreeError."""
    found = _known_to_git(tree) if (tree / ".git").exists() else _unpacked(tree)
    return [name for name in found if (tree / name).is_file()]


def copy(tree: Path, into: Path) -> None:
    """Copy the files of a tree. Raises TreeError."""
    for name in names(tree):
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / name, target)


def _known_to_git(tree: Path) -> list[str]:
    """Return what git knows of the tree, by names from there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=tree, capture_output=True, check=True)
    except FileNotFoundError:
        raise TreeError("git is missing; install it: sudo apt install git") from None
    except subprocess.CalledProcessError as error:
        told = error.stderr.decode(errors="replace").strip()
        raise TreeError(
            f"git does not say what is in the tree; build as its owner:\n{told}"
        ) from None
    return [name for name in listed.stdout.decode().split("\0") if name]


def _unpacked(tree: Path) -> Iterator[str]:
    """Yield all of a tree that came without git, by names from there."""
    for place, directories, files in os.walk(tree):
        directories[:] = [name for name in directories if name not in NO_SOURCES]
        for name in files:
            yield str(Path(place, name).relative_to(tree))
