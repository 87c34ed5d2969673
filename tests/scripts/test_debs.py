# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/debs.py without dpkg-buildpackage."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import debs
import pytest
import roots

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a tree that is not a git checkout and contains build results."""
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


def test_failed_package_build_shows_its_output(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = "for n in $(seq 99); do echo line $n; done; exit 1"
    with pytest.raises(debs.DebsError) as error:
        debs.build(["sh", "-c", script], tmp_path, log)
    shown = str(error.value).splitlines()
    assert shown[0] == "line 60" and shown[-2] == "line 99"
    assert shown[-1] == f"dpkg-buildpackage failed; its output is in {log}"


@pytest.fixture(name="asked")
def fixture_asked(tree: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the list of commands that debs.py runs on a trixie host. All succeed."""
    asked: list[list[str]] = []

    def build(command: list[str], place: Path, log: Path) -> None:
        assert (place / "core/main.c").exists()
        asked.append(command)
        for name in ("perfmon.deb", "perfmon.changes"):
            (place.parent / name).touch()

    monkeypatch.setattr(debs, "build", build)
    monkeypatch.setattr(debs, "LINTIAN", ["true"])
    monkeypatch.setattr(debs, "host_release", lambda: "trixie")
    monkeypatch.setattr(roots, "root", lambda release, names: Path(f"/{release}"))
    monkeypatch.setattr(
        roots, "exec_arguments", lambda root, command, cwd: ("", [str(root), *command])
    )
    return asked


def test_packages_of_other_release_are_built_in_root(asked: list[list[str]]) -> None:
    for release in ("trixie", "bookworm"):
        out = debs.debs(release, ["gcc"], False)
        before = ["/bookworm"] if release == "bookworm" else []
        assert asked.pop() == before + debs.BUILD
        assert {path.name for path in out.iterdir()} >= {"perfmon.deb"}
        assert not (out / "source").exists()


@pytest.mark.parametrize("lintian", ["true", "false"])
def test_debs_command_fails_if_lintian_fails(
    lintian: str,
    asked: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(debs, "LINTIAN", [lintian])
    monkeypatch.setattr(sys, "argv", ["debs.py", "--lintian", "gcc"])
    assert debs.main() == (lintian == "false")
    printed = capsys.readouterr()
    if lintian == "false":
        assert printed.err.endswith("debs.py: lintian found problems; see above\n")
    else:
        assert printed.out == "build/debs/trixie/perfmon.deb\n"
