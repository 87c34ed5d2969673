# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/source_tree.py."""

from __future__ import annotations

from pathlib import Path

import pytest
import source_tree


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a tree without git that contains build results."""
    place = tmp_path / "tree"
    for name in ("Makefile", "core/main.c", "build/debs/sid/old.deb"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).touch()
    return place


def test_copy_without_git_skips_build_results(tree: Path, tmp_path: Path) -> None:
    source_tree.copy(tree, tmp_path / "into")
    into = tmp_path / "into"
    found = {path.relative_to(into) for path in into.rglob("*") if path.is_file()}
    assert found == {Path("Makefile"), Path("core/main.c")}


def test_missing_git_names_package(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tree))
    with pytest.raises(source_tree.TreeError, match="sudo apt install git"):
        source_tree.copy(tree, tree / "build/debs/sid/source")


def test_unreadable_git_tree_gives_reason(tree: Path) -> None:
    (tree / ".git").mkdir()
    with pytest.raises(source_tree.TreeError, match="git repository"):
        source_tree.copy(tree, tree / "build/debs/sid/source")
