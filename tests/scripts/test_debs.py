# SPDX-License-Identifier: MIT OR GPL-2.0
"""Tests of scripts/debs.py, except for dpkg-buildpackage."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import debs
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a tree without git that contains build results."""
    place = tmp_path / "tree"
    for name in ("Makefile", "core/main.c", "build/debs/sid/old.deb"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).touch()
    monkeypatch.setattr(debs, "ROOT", place)
    return place


@pytest.mark.parametrize("release", ["{}", "..", ".", "", "../../core", "sid/.."])
def test_invalid_release_removes_nothing(tree: Path, release: str) -> None:
    with pytest.raises(debs.DebsError, match="is not a release"):
        debs.debs(release.format(tree), [], False)
    assert (tree / "core/main.c").exists()
    assert (tree / "build/debs/sid/old.deb").exists()


@pytest.mark.parametrize("release", ["sid", "trixie-backports"])
def test_debs_directory_is_emptied(tree: Path, release: str) -> None:
    assert list(debs.emptied(release).iterdir()) == []


@pytest.mark.parametrize("given", ["RELEASE=trixie", ""])
def test_release_in_environment_is_ignored(given: str) -> None:
    kept = {name: text for name, text in os.environ.items() if "MAKE" not in name}
    told = subprocess.run(
        ["make", "-n", "debs", *given.split()],
        cwd=ROOT,
        env={**kept, "RELEASE": "/nonexistent"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "/nonexistent" not in told
    assert ('--release "trixie"' in told) == bool(given)


def test_debs_of_other_user_are_named(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(shutil, "rmtree", refuse)
    with pytest.raises(debs.DebsError, match="sudo rm -r build/debs"):
        debs.emptied("sid")
