# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/need-packages with fake apt and dpkg programs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "scripts/need-packages"
PROGRAMS = {
    "dpkg-query": """
for package; do :; done
grep -qx "$package" "$STATE/installed" && printf installed
""",
    "apt-get": """
echo "$*" >>"$STATE/asked"
[ "$1" = install ] || exit 100
while [ "$1" != DPkg::Lock::Timeout=300 ]; do shift; done
shift
for package; do
    grep -qx "$package" "$STATE/offered" && continue
    echo "E: Unable to locate package $package"
    exit 100
done
printf '%s\\n' "$@" >>"$STATE/installed"
""",
    "id": 'cat "$STATE/user"',
}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory whose files list the packages and name the user."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, script in PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}")
        (programs / name).chmod(0o755)
    (tmp_path / "installed").write_text("make\n")
    (tmp_path / "offered").write_text("gcc\nbc\nsparse\n")
    (tmp_path / "user").write_text("0\n")
    monkeypatch.setenv("STATE", str(tmp_path))
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return tmp_path


def need(*packages: str) -> subprocess.CompletedProcess[str]:
    """Run need-packages."""
    return subprocess.run(
        [PROGRAM, *packages], capture_output=True, text=True, check=False
    )


def installed(state: Path) -> list[str]:
    """Return the packages that are installed now."""
    return (state / "installed").read_text().split()


def test_need_packages_without_missing_ones(state: Path) -> None:
    done = need("make", "--", "make")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (state / "asked").exists()


def test_need_packages_with_failed_list_update(state: Path) -> None:
    assert need("gcc", "--", "bc").returncode == 0
    assert (state / "asked").read_text().startswith("update\n")
    assert installed(state) == ["make", "gcc", "bc"]


def test_need_packages_removes_nothing(state: Path) -> None:
    assert need("gcc").returncode == 0
    (asked,) = (state / "asked").read_text().splitlines()[1:]
    assert asked.startswith("install ") and "--no-remove" in asked.split()


def test_unavailable_wanted_package_is_skipped(state: Path) -> None:
    done = need("gcc", "--", "bc", "gone", "sparse")
    assert done.returncode == 0
    assert installed(state) == ["make", "gcc", "bc", "sparse"]
    assert "Unable to locate package gone" in done.stderr
    assert "could not install: gone; continuing without it" in done.stderr


def test_unavailable_needed_package_is_named(state: Path) -> None:
    done = need("gone", "make", "--", "bc")
    assert done.returncode == 1
    assert "Unable to locate package gone" in done.stderr
    assert done.stderr.endswith("could not install: gone\n")


def test_unprivileged_user_gets_install_command(state: Path) -> None:
    (state / "user").write_text("1000\n")
    done = need("gcc", "make", "--", "bc")
    assert done.returncode == 1
    line = "  sudo apt-get install --no-install-recommends gcc bc\n"
    assert done.stderr.endswith(line)
    assert not (state / "asked").exists()


def test_unprivileged_user_needs_no_wanted_package(state: Path) -> None:
    (state / "user").write_text("1000\n")
    done = need("make", "--", "bc", "sparse")
    assert done.returncode == 0
    assert "install --no-install-recommends bc sparse\n" in done.stderr
