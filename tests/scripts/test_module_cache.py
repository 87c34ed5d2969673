# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/module_cache.py with a fake kbuild."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import kernels
import module_cache
import module_sources
import pytest
from aging import release_all

KERNEL = kernels.Kernel("x86_64", "6.1", "6.1.0-9-cloud-amd64", "1", "bookworm")
CORE = "core/main.c"


@pytest.fixture(name="built")
def fixture_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[str]]:
    """Return the list of built sources; a module's content is that of its source."""
    built: list[str] = []

    def build(_: kernels.Kernel, tree: Path, what: str, *variables: str) -> None:
        built.append((tree / CORE).read_text())
        (tree / "core/perfmon.ko").write_text(built[-1])
        (tree / module_sources.SYMVERS).touch()

    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kernels, "make", lambda kernel, variables: ["make", *variables])
    monkeypatch.setattr(kernels, "resolve", lambda arch, name: KERNEL)
    monkeypatch.setattr(module_sources, "build", build)
    yield built
    release_all()


def tree(checkout: Path, source: str) -> Path:
    """Return a tree of links to a checkout whose only source has this content."""
    links = checkout / "kmod"
    (checkout / "main.c").parent.mkdir(exist_ok=True)
    (checkout / "main.c").write_text(source)
    (links / "core").mkdir(parents=True, exist_ok=True)
    if not (links / CORE).is_symlink():
        (links / CORE).symlink_to(checkout / "main.c")
    return links


def updated(
    links: Path, monkeypatch: pytest.MonkeyPatch, *variables: str
) -> tuple[int, str]:
    """Run module_cache.py; return its exit status and the content of the module."""
    argv = ["module_cache.py", "--arch=x86_64", "--kernel=6.1", str(links), *variables]
    monkeypatch.setattr(sys, "argv", argv)
    status = module_cache.main()
    module = links / "core/perfmon.ko"
    return status, module.read_text() if module.exists() else ""


def test_equal_trees_share_built_modules(
    built: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two", "one"):
        assert updated(tree(tmp_path / name, "a"), monkeypatch) == (0, "a")
    assert built == ["a"]


def test_changed_source_or_variable_is_built_again(
    built: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = tree(tmp_path / "one", "a")
    assert updated(links, monkeypatch) == (0, "a")
    assert updated(tree(tmp_path / "one", "b"), monkeypatch) == (0, "b")
    assert updated(links, monkeypatch, "W=1") == (0, "b") and len(built) == 3
    # The cache contains the modules of the first source.
    assert updated(tree(tmp_path / "one", "a"), monkeypatch) == (0, "a")
    assert len(built) == 3


def test_source_that_changes_during_the_build_is_built_next(
    built: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links, build = tree(tmp_path / "one", "a"), module_sources.build

    def change(kernel: kernels.Kernel, tree: Path, *words: str) -> None:
        (tmp_path / "one/main.c").write_text("b")
        build(kernel, tree, *words)

    with monkeypatch.context() as patched:
        patched.setattr(module_sources, "build", change)
        assert updated(links, patched) == (0, "a")
    assert updated(links, monkeypatch) == (0, "b") and built == ["a", "b"]


def test_only_changed_sources_are_written(
    built: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one/kept.h").write_text("kept")
    for name in ("core/kept.h", "core/gone.h"):
        tree(tmp_path / "one", "a").joinpath(name).symlink_to(tmp_path / "one/kept.h")
    assert updated(tree(tmp_path / "one", "a"), monkeypatch) == (0, "a")
    (work,) = (path for path in tmp_path.glob("cache/modules-built/*") if path.is_dir())
    times = {name: (work / name).stat().st_mtime_ns for name in ("core/kept.h", CORE)}
    for name in ("core/main.o", "core/gone.o"):
        (work / name).touch()
    (tmp_path / "one/kmod/core/gone.h").unlink()
    assert updated(tree(tmp_path / "one", "b"), monkeypatch) == (0, "b")
    assert (work / "core/kept.h").stat().st_mtime_ns == times["core/kept.h"]
    assert (work / CORE).stat().st_mtime_ns != times[CORE]
    assert not list(work.glob("core/gone.*")) and (work / "core/main.o").exists()
    assert built == ["a", "b"]


@pytest.mark.usefixtures("built")
def test_failed_build_leaves_no_modules(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object) -> None:
        raise module_sources.BuildError("no compiler")

    assert updated(tree(tmp_path / "one", "a"), monkeypatch) == (0, "a")
    links = tree(tmp_path / "one", "b")
    with monkeypatch.context() as patched:
        patched.setattr(module_sources, "build", fail)
        assert updated(links, patched) == (1, "")
    assert capsys.readouterr().err == "module_cache.py: no compiler\n"
    assert updated(links, monkeypatch) == (0, "b")
