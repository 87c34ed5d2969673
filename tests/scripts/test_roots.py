# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/roots.py with a fake mmdebstrap, which makes a small root file system.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cache
import debian
import packages
import pytest
import roots
from aging import pass_days, release_all

# The fake makes an archive with busybox only, and records its arguments and sources.
MMDEBSTRAP = """#!/bin/sh -e
work=$(dirname "$0")/made
mkdir -p "$work/bin" "$work/etc" "$work/proc" "$work/dev" "$work/sys"
for name in busybox sh cat pwd touch true; do cp /bin/busybox "$work/bin/$name"; done
cat >"$work/etc/sources"
echo "$@" >>"$(dirname "$0")/asked"
while [ $# -gt 2 ]; do shift; done
tar -c -f "$1" -C "$work" .
"""
NO_OVERLAY = """#!/bin/sh
[ "$2" != overlay ] || exit 32
exec /bin/mount "$@"
"""
BROKEN = """#!/bin/sh
echo 'E: no such suite' >&2
exit 25
"""


@pytest.fixture
def offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, str]]:
    """Return the packages that apt offers; put the fake programs first in PATH."""
    versions = {"make": "4.4", "gcc": "12", **{name: "1" for name in roots.ALWAYS}}
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{programs}:{roots.PATH}")
    monkeypatch.setattr(roots, "PATH", f"{programs}:{roots.PATH}")
    monkeypatch.setattr(
        packages,
        "offered",
        lambda offer, names: {name: versions[name] for name in names},
    )
    monkeypatch.setattr(debian, "sources", lambda release: [f"deb some {release} main"])
    install(tmp_path, MMDEBSTRAP)
    yield versions
    release_all()


def install(tmp_path: Path, script: str, name: str = "mmdebstrap") -> None:
    """Install the script as a program."""
    program = tmp_path / "programs" / name
    program.write_text(script)
    program.chmod(0o755)


def trees() -> set[Path]:
    """Return the directories of all root file systems, including incomplete ones."""
    return set(filter(Path.is_dir, (cache.root() / "roots").iterdir()))


def needs_name_spaces() -> None:
    """Skip the test if the user cannot create namespaces."""
    probe = subprocess.run(
        roots.exec_arguments(Path("/"), ["true"])[1][:1] + ["--mount", "true"],
        capture_output=True,
        check=False,
    )
    if probe.returncode != 0:
        pytest.skip(f"unshare: {probe.stderr.decode().strip()}")


def test_root_is_made_once(offered: dict[str, str], tmp_path: Path) -> None:
    first = roots.root("trixie", ["make"])
    assert roots.root("trixie", ["make"]) == first
    asked = (tmp_path / "programs/asked").read_text().splitlines()
    assert len(asked) == 1
    assert "--include=debian-archive-keyring,make trixie" in asked[0]
    assert (first / "etc/sources").read_text() == "deb some trixie main\n"


def test_root_with_more_packages_serves(offered: dict[str, str]) -> None:
    larger = roots.root("trixie", ["gcc", "make"])
    assert roots.root("trixie", ["make"]) == larger
    assert roots.root("bookworm", ["make"]) != larger
    assert roots.root("trixie", ["gcc"], bare=True) != larger


def test_outdated_larger_root_does_not_serve(offered: dict[str, str]) -> None:
    larger = roots.root("trixie", ["gcc", "make"])
    offered["gcc"] = "13"
    assert roots.root("trixie", ["make"]) != larger


def test_newer_package_makes_new_root(offered: dict[str, str]) -> None:
    first = roots.root("trixie", ["make"])
    offered["make"] = "4.5"
    assert roots.root("trixie", ["make"]) != first


def test_replaced_root_is_deleted(offered: dict[str, str]) -> None:
    roots.root("trixie", ["make"])
    other = {roots.root("trixie", ["gcc"]), roots.root("bookworm", ["make"])}
    release_all()
    offered["make"] = "4.5"
    new = roots.root("trixie", ["make"])
    assert trees() == {new, *other}
    assert len(list((cache.root() / "roots").iterdir())) == 2 * len(trees())


def test_root_unused_for_two_weeks_is_deleted(
    offered: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = roots.root("trixie", ["gcc"])
    release_all()
    pass_days(13.9, monkeypatch)
    new = {roots.root("trixie", ["make"])}
    assert trees() == {old, *new}
    pass_days(0.2, monkeypatch)
    new.add(roots.root("bookworm", ["make"]))
    assert trees() == new


def test_root_in_use_is_kept(
    offered: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = roots.root("trixie", ["make"])
    release_all()
    works = (
        "import cache_entries, os, pathlib, sys; entry = pathlib.Path(sys.argv[1])\n"
    )
    works += "cache_entries.use(entry, ['make'])\n"
    works += "os.execvp('sh', ['sh', '-c', 'echo; read x'])"
    with subprocess.Popen(
        [sys.executable, "-c", works, str(old)],
        env={**os.environ, "PYTHONPATH": str(roots.TREE / "scripts")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin and process.stdout
        process.stdout.readline()
        pass_days(30, monkeypatch)
        offered["make"] = "4.5"
        new = roots.root("trixie", ["make"])
        assert trees() == {old, new}
        process.stdin.close()
    other = roots.root("trixie", ["gcc"])
    assert trees() == {new, other}


def test_interrupted_root_is_deleted_after_a_day(
    offered: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = cache.root() / "roots/.copy-of-somebody"
    left.mkdir(parents=True)
    used = {roots.root("trixie", ["make"])}
    assert trees() == {left, *used}
    pass_days(1.1, monkeypatch)
    used.add(roots.root("trixie", ["gcc"]))
    assert trees() == used


def test_deleted_root_is_made_again(offered: dict[str, str]) -> None:
    first = roots.root("trixie", ["make"])
    shutil.rmtree(first)
    assert roots.root("trixie", ["make"]) == first
    assert (first / "bin/sh").is_file()


def test_failed_root_is_removed_and_reported(
    offered: dict[str, str], tmp_path: Path
) -> None:
    install(tmp_path, BROKEN)
    with pytest.raises(roots.RootError, match="no such suite"):
        roots.root("trixie", ["make"])
    assert not trees()


def test_missing_mmdebstrap_names_package(
    offered: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(roots.RootError, match="apt-get install mmdebstrap"):
        roots.root("trixie", ["make"])


def test_command_in_root_sees_tree(
    offered: dict[str, str],
) -> None:
    needs_name_spaces()
    tree = roots.root("trixie", ["make"])
    ran = roots.run(
        tree, ["sh", "-c", "pwd; cat /etc/sources; exit 3"], roots.TREE, capture=True
    )
    assert ran.stdout.splitlines() == [str(roots.TREE), "deb some trixie main"]
    assert ran.returncode == 3


def test_root_works_without_resolv_conf(offered: dict[str, str]) -> None:
    needs_name_spaces()
    if os.geteuid() != 0:
        pytest.skip("only root can hide the host's /etc")
    tree = roots.root("trixie", ["make"])
    hide = 'mount -t tmpfs none /etc; exec "$@"'
    command = roots.exec_arguments(tree, ["sh", "-c", "exit 3"])[1]
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", hide, "sh", *command],
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (3, b"")


def test_resolv_conf_link_does_not_reach_host(
    offered: dict[str, str], tmp_path: Path
) -> None:
    needs_name_spaces()
    tree = roots.root("trixie", ["make"])
    (tree / "etc/resolv.conf").symlink_to(tmp_path / "made")
    roots.run(tree, ["true"], check=True)
    assert not (tmp_path / "made").exists()


def test_root_can_start_another_root(offered: dict[str, str]) -> None:
    needs_name_spaces()
    tree = roots.root("trixie", ["make"])
    inner = ["busybox", "unshare", "--mount", "true"]
    ran = roots.run(tree, inner, capture=True)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_changed_copy_leaves_root_unchanged(offered: dict[str, str]) -> None:
    needs_name_spaces()
    tree = roots.root("trixie", ["make"])
    with roots.copied(tree) as copy:
        roots.run(copy, ["touch", "/etc/new"], check=True)
        assert (copy / "etc/new").exists()
    assert not (tree / "etc/new").exists()
    assert trees() == {tree}


@pytest.mark.parametrize("overlaid", [True, False])
def test_copy_equals_root(
    offered: dict[str, str], tmp_path: Path, overlaid: bool
) -> None:
    needs_name_spaces()
    tree = roots.root("trixie", ["make"])
    if not overlaid:
        install(tmp_path, NO_OVERLAY, "mount")
    with roots.copied(tree) as copy:
        if overlaid and not os.path.ismount(copy):
            pytest.skip("overlays cannot be mounted here")
        assert os.path.ismount(copy) is overlaid
        assert copy.stat().st_mode == tree.stat().st_mode
        assert (copy / "etc/sources").read_text() == "deb some trixie main\n"
        roots.run(copy, ["busybox", "rm", "/etc/sources"], check=True)
    assert (tree / "etc/sources").exists()


def test_roots_command_returns_status(
    offered: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_name_spaces()
    command = ["roots.py", "--with", "make", "--copy", "trixie", "sh", "-c", "exit 4"]
    monkeypatch.setattr(sys, "argv", command)
    assert roots.main() == 4


def test_roots_command_prints_path_or_error(
    offered: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["roots.py", "--with", "make,", "trixie"])
    assert roots.main() == 0
    assert Path(capsys.readouterr().out.strip()) == roots.root("trixie", ["make"])
    install(tmp_path, BROKEN)
    monkeypatch.setattr(sys, "argv", ["roots.py", "bookworm"])
    assert roots.main() == 1
    assert "roots.py: " in capsys.readouterr().err
