# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that unused KUnit workspaces and debug kernels are deleted from the cache.

test_roots.py checks this for root file systems.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import cache
import debug_kernel
import kernel_source
import kunit
import pytest
from aging import pass_days, release_all

Make = Callable[[str], Path]


def workspace(name: str) -> Path:
    """Make a workspace for KUnit, or use an existing one."""
    return kunit._workspace(name)


def kernel(name: str) -> Path:
    """Make a debug kernel from a source, or use an existing one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_source, "pristine", lambda: Path(name))
        patch.setattr(debug_kernel, "_build", lambda *arguments: None)
        return debug_kernel.tree("debug")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use an empty cache."""
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path))
    yield
    release_all()


def entries(made: Path) -> set[Path]:
    """Return all entries of the same kind as ``made``."""
    return set(filter(Path.is_dir, made.parent.iterdir()))


@pytest.mark.parametrize("make", [workspace, kernel])
def test_entries_unused_for_two_weeks_are_deleted(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = make("a-1")
    release_all()
    pass_days(13.9, monkeypatch)
    new = {make("b-1")}
    assert entries(old) == {old, *new}
    pass_days(0.2, monkeypatch)
    new.add(make("c-1"))
    assert entries(old) == new


@pytest.mark.parametrize("make", [workspace, kernel])
def test_entry_in_use_is_kept(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    used = make("a-1")
    pass_days(30, monkeypatch)
    new = make("b-1")
    assert entries(new) == {used, new}


def test_lock_of_deleted_workspace_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    old = workspace("a-1")
    with cache.locked(f"kunit/{old.name}/run"):
        pass
    release_all()
    pass_days(15, monkeypatch)
    new = workspace("b-1")
    left = {path.name for path in new.parent.iterdir()}
    assert left == {"b-1", "b-1.packages"}


@pytest.mark.parametrize("left", ["directory", "note"])
def test_half_of_an_entry_is_deleted(
    left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = workspace("a-1")
    release_all()
    if left == "note":
        shutil.rmtree(half)
    else:
        half.with_name("a-1.packages").unlink()
    pass_days(15, monkeypatch)
    new = workspace("b-1")
    assert {path.name for path in new.parent.iterdir()} == {"b-1", "b-1.packages"}
