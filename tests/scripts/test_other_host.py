# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the root file systems and the copied tree of scripts/other_host.py."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import debian
import other_host
import pytest
import roots

# The packages in each root file system that was made.
Made = dict[str, set[str]]


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    """Return the root file systems that are made on a simulated Debian 12 host."""
    found: Made = {}

    def root(release: str, wanted: Iterable[str]) -> Path:
        place = f"{release}-{len(found)}"
        found[place] = set(wanted)
        return Path(place)

    def run(
        tree: Path, command: list[str], *_: Path, **__: bool
    ) -> subprocess.CompletedProcess[str]:
        assert (str(tree), command[-1]) == ("trixie-0", "--packages")
        return subprocess.CompletedProcess(command, 0, "gcc-14-multilib sparse\n")

    monkeypatch.setattr(debian, "host", lambda: "bookworm")
    monkeypatch.setattr(roots, "root", root)
    monkeypatch.setattr(roots, "run", run)
    return found


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a tree. Its copy is below the temporary directory, too."""
    place = tmp_path / "tree"
    (place / "core").mkdir(parents=True)
    for name in ("Makefile", "core/main.c"):
        (place / name).touch()
    monkeypatch.setattr(other_host, "TREE", place)
    monkeypatch.setattr(other_host, "COPIES", place / "build/other-host")
    return place


def test_root_for_make_run_has_run_packages(made: Made) -> None:
    other_host.root()
    assert "qemu-system-x86" in made["trixie-0"]
    assert "python3-pytest" not in made["trixie-0"]


def test_root_for_make_check_has_part_packages(made: Made) -> None:
    other_host.root_for_check(Path("/"))
    wanted = {"qemu-system-x86", "python3-pytest", "gcc-14-multilib", "sparse"}
    assert wanted <= made["trixie-1"]


def test_tree_copy_keeps_build_results_only(tree: Path) -> None:
    copy = other_host.copied_tree()
    (copy / "build").mkdir()
    (copy / "build/object").touch()
    (tree / "Makefile").unlink()
    (tree / "core/main.c").rename(tree / "core/other.c")
    assert other_host.copied_tree() == copy
    found = {str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()}
    assert found == {"build/object", "core/other.c"}


def test_git_tracks_copy_without_build_results(tree: Path) -> None:
    (tree / ".gitignore").write_text("/build/\n")
    copy = other_host.copied_tree()
    (copy / "build").mkdir()
    (copy / "build/object").touch()
    other_host.make_known_to_git(copy)
    listed = subprocess.run(
        ["git", "ls-files"], cwd=copy, capture_output=True, text=True, check=True
    )
    assert listed.stdout.split() == [".gitignore", "Makefile", "core/main.c"]


def test_host_of_other_system_has_no_other_release(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, said in (("", "another system"), ("sid", "sid")):
        monkeypatch.setattr(debian, "host", lambda name=name: name)
        monkeypatch.setattr(sys, "argv", ["other_host.py", "true"])
        assert other_host.main() == 1
        err = capsys.readouterr().err
        text = f"the host must run Debian 12 or 13, not {said}"
        assert err == f"other_host.py: {text}\n"


@pytest.mark.parametrize("command", [["true"], ["sh", "-c", "exit 7"]])
def test_status_is_that_of_the_command(
    command: list[str], tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_host, "root", lambda: Path("/"))
    monkeypatch.setattr(
        roots, "exec_arguments", lambda root, command, cwd: ("", command)
    )
    monkeypatch.setattr(sys, "argv", ["other_host.py", *command])
    assert other_host.main() == (0 if command == ["true"] else 7)
    assert (tree / "build/other-host/trixie/core/main.c").exists()
