# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test archives.py with machines that only record commands."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import archives
import cache
import packages
import pytest
from machine import Machine

NAME = "trixie-0123456789abcdef"


class Noting(Machine):
    """A machine that records commands, and whose mirror may be unreachable."""

    def __init__(self, tree: Path, reached: bool = True) -> None:
        super().__init__(tree)
        self.ran: list[str] = []
        self._reached = reached
        (tree / "etc").mkdir(parents=True)

    def run(self, script: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Record a command; return a result as if it had run."""
        self.ran.append(script.split()[-1])
        assert self._reached or not check, "Could not resolve the mirror"
        return subprocess.CompletedProcess(script, 0 if self._reached else 100, "", "")

    def fetch(self, name: str) -> None:
        """Store an archive as apt does."""
        (self.tree.parent / "archives" / name).write_text(name)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a root file system in the cache; return the directory of its archives."""
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    (cache.root() / "roots" / NAME).mkdir(parents=True)
    return cache.root() / "machines" / NAME


def use(machine: Noting, *fetched: str) -> set[str]:
    """Fetch archives on a machine; return the archives that it had before."""
    with archives.kept(machine, NAME, machine.tree / "etc/settings"):
        found = {path.name for path in machine.tree.parent.glob("archives/*.deb")}
        for name in fetched:
            machine.fetch(name)
    return found


def test_archives_are_shared_with_next_machine(tmp_path: Path) -> None:
    first, second = (Noting(tmp_path / name / "root") for name in ("1", "2"))
    assert use(first, "gcc.deb") == set()
    assert use(second, "make.deb") == {"gcc.deb"}
    assert use(Noting(tmp_path / "3/root")) == {"gcc.deb", "make.deb"}
    assert first.ran == ["update", "autoclean"]
    assert second.ran == []


def test_machines_have_own_apt_directories(tmp_path: Path, place: Path) -> None:
    first, second = (Noting(tmp_path / name / "root") for name in ("1", "2"))
    use(first)
    use(second)
    settings = {(each.tree / "etc/settings").read_text() for each in (first, second)}
    assert len(settings) == 2
    assert not any(f'archives "{place}' in each for each in settings)


def test_unreachable_mirror_is_reported_and_retried(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="the mirror"):
        use(Noting(tmp_path / "1/root", reached=False))
    second = Noting(tmp_path / "2/root")
    use(second)
    assert second.ran == ["update", "autoclean"]


def test_old_lists_serve_if_mirror_is_unreachable(tmp_path: Path, place: Path) -> None:
    use(Noting(tmp_path / "1/root"))
    old = time.time() - packages.OLD_SECONDS - 1
    os.utime(place / "updated", (old, old))
    second = Noting(tmp_path / "2/root", reached=False)
    use(second)
    assert second.ran == ["update"]
    third = Noting(tmp_path / "3/root")
    use(third)
    assert third.ran == ["update", "autoclean"]


def test_archives_of_removed_roots_are_deleted(tmp_path: Path, place: Path) -> None:
    gone = place.with_name("trixie-gone")
    (gone / "archives").mkdir(parents=True)
    use(Noting(tmp_path / "1/root"))
    assert place.exists() and not gone.exists()
