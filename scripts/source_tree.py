# SPDX-License-Identifier: MIT OR GPL-2.0
"""The files of a source tree, and copies of them.

In a git work tree, the files are the tracked ones and the new ones that git does not
ignore; copies include changes that are not committed. In a tree without .git, all files
except for build results count as files of the tree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

# Directories that are left out of a tree without .git, because they have no sources.
NO_SOURCES = ("build", "__pycache__")


class TreeError(Exception):
    """The tree's files cannot be listed; the message says why."""


def names(tree: Path) -> list[str]:
    """Return the paths of a tree's files, relative to the tree. Raises TreeError."""
    found = _known_to_git(tree) if (tree / ".git").exists() else _unpacked(tree)
    return [name for name in found if (tree / name).is_file()]


def copy(tree: Path, into: Path) -> None:
    """Copy the files of a tree to the directory `into`. Raises TreeError."""
    for name in names(tree):
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / name, target)


def _known_to_git(tree: Path) -> list[str]:
    """Return the paths of tracked and new files, relative to the tree."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=tree, capture_output=True, check=True)
    except FileNotFoundError:
        raise TreeError("git is missing: run 'sudo apt install git'") from None
    except subprocess.CalledProcessError as error:
        told = error.stderr.decode(errors="replace").strip()
        raise TreeError(
            f"git cannot list the tree's files:\n{told}\nBuild as the tree's owner."
        ) from None
    return [name for name in listed.stdout.decode().split("\0") if name]


def _unpacked(tree: Path) -> Iterator[str]:
    """Yield the paths of all files in a tree without .git, relative to the tree."""
    for place, directories, files in os.walk(tree):
        directories[:] = [name for name in directories if name not in NO_SOURCES]
        for name in files:
            yield str(Path(place, name).relative_to(tree))
