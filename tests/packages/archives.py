# SPDX-License-Identifier: MIT OR GPL-2.0
"""Keep the archives that apt has fetched for a machine, for use on later machines."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import cache
import packages

if TYPE_CHECKING:
    from machine import Machine

# Treat a list that cannot be fetched as an error, too.
UPDATE = "apt-get -q -o APT::Update::Error-Mode=any update"
# Remove archives that the lists no longer contain.
CLEAN = "apt-get -q -o Dir::Cache::archives={} autoclean"


@contextlib.contextmanager
def kept(machine: Machine, name: str, settings: Path) -> Iterator[None]:
    """Let apt on a copy of a root file system use the kept archives, and keep new ones.

    `name` names the root file system. apt reads the file `settings` on the copy.
    Because apt locks its archive directory, each copy has its own directory, with links
    to the kept archives.
    """
    place = _directory() / name
    own = machine.tree.parent / "archives"
    for directory in (place / "lists", place / "archives", own):
        (directory / "partial").mkdir(parents=True, exist_ok=True)
    settings.write_text(
        f'Dir::State::lists "{place}/lists";\nDir::Cache::archives "{own}";\n'
    )
    with cache.locked("machines"):
        _prune()
        _update(machine, place)
        _link(place / "archives", own)
    try:
        yield
    finally:
        with cache.locked("machines"):
            _link(own, place / "archives")


def _directory() -> Path:
    return cache.root() / "machines"


def _update(machine: Machine, place: Path) -> None:
    """Fetch the lists if they are missing or old. If that fails, use the old lists."""
    updated = place / "updated"
    known = updated.exists()
    if known and time.time() - updated.stat().st_mtime < packages.OLD_SECONDS:
        return
    if machine.run(UPDATE, check=not known).returncode == 0:
        updated.touch()
        machine.run(CLEAN.format(place / "archives"))


def _link(source: Path, target: Path) -> None:
    for archive in source.glob("*.deb"):
        if not (target / archive.name).exists():
            os.link(archive, target / archive.name)


def _prune() -> None:
    """Remove the files that are kept for root file systems that no longer exist."""
    for place in _directory().iterdir():
        if not (cache.root() / "roots" / place.name).is_dir():
            shutil.rmtree(place)
