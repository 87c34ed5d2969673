# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/packages.py with a small package archive."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import threading
from pathlib import Path

import cache
import debian
import packages
import pytest

VERSION = "1.5-2"
LISTED = ("amd64", "arm64")
BROKEN = "i386"


def build_package(name: str, arch: str, pool: Path, work: Path) -> None:
    """Add a package to the archive; the package's only file has the package's name."""
    tree = work / f"{name}-{arch}"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {VERSION}\nArchitecture: {arch}\n"
        "Maintainer: none <none@example.org>\nDescription: for a test\n"
    )
    (tree / "usr").mkdir()
    (tree / "usr" / name).write_text(arch)
    command = ["dpkg-deb", "--root-owner-group", "-b", str(tree), str(pool)]
    subprocess.run(command, check=True, capture_output=True)


def write_list(archive: Path, arch: str) -> str:
    """Write an architecture's package list; return the line for it in Release."""
    scan = ["dpkg-scanpackages", "-a", arch, "pool"]
    listed = subprocess.run(scan, cwd=archive, check=True, capture_output=True).stdout
    path = archive / f"dists/stable/main/binary-{arch}/Packages"
    path.parent.mkdir(parents=True)
    path.write_bytes(listed)
    digest = hashlib.sha256(listed).hexdigest()
    return f" {digest} {len(listed)} main/binary-{arch}/Packages\n"


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an archive in which the list of one architecture has a wrong digest."""
    root = tmp_path / "archive"
    (root / "pool").mkdir(parents=True)
    sums = ""
    for arch in (*LISTED, BROKEN):
        for name in ("thing", "other"):
            build_package(name, arch, root / "pool", tmp_path / "work")
        sums += write_list(root, arch)
    (root / "dists/stable/Release").write_text(
        f"Suite: stable\nArchitectures: {' '.join((*LISTED, BROKEN))}\n"
        f"Components: main\nDate: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n{sums}"
    )
    with open(root / f"dists/stable/main/binary-{BROKEN}/Packages", "a") as stream:
        stream.write("\n")
    sources = tmp_path / "sources.list"
    sources.write_text(f"deb [trusted=yes] copy:{root} stable main\n")
    config = tmp_path / "apt.conf"
    config.write_text(
        f'Dir::Etc::SourceList "{sources}";\nDir::Etc::SourceParts "/dev/null";\n'
    )
    monkeypatch.setenv("APT_CONFIG", str(config))
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    return root


@pytest.mark.parametrize("arch", LISTED)
def test_broken_list_of_other_arch_is_ignored(archive: Path, arch: str) -> None:
    with pytest.raises(packages.PackageError):
        packages.unpacked_any("thing", BROKEN)
    tree = packages.unpacked("thing", packages.Offer(arch), VERSION)
    assert (tree / "usr/thing").read_text() == arch


def test_unpacked_any_finds_newest_version(archive: Path) -> None:
    tree = packages.unpacked_any("thing", "arm64")
    assert tree.name == f"thing_{VERSION}_arm64"


def test_cached_package_needs_no_archive(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = packages.unpacked("thing", packages.Offer("amd64"), VERSION)
    whichever = packages.unpacked_any("thing", "amd64")
    monkeypatch.setenv("PATH", "")
    assert packages.unpacked("thing", packages.Offer("amd64"), VERSION) == first
    assert packages.unpacked_any("thing", "amd64") == whichever


def test_packages_are_unpacked_in_parallel(archive: Path) -> None:
    offer = packages.Offer("amd64")
    seen: list[object] = []

    def others() -> None:
        seen.append(packages.offered(offer, ["thing", "other"]))
        seen.append(packages.unpacked("other", offer, VERSION).is_dir())
        seen.append(packages.unpacked_any("other", "amd64").is_dir())

    def finish(tree: Path) -> None:
        assert (tree / "usr/thing").exists()
        # Use a daemon thread, so that the test can end even if the thread hangs.
        beside = threading.Thread(target=others, daemon=True)
        beside.start()
        beside.join(60)
        assert seen == [{"thing": VERSION, "other": VERSION}, True, True]

    packages.unpacked("thing", offer, VERSION, finish)


def test_package_entry_is_filled_once(archive: Path) -> None:
    offer = packages.Offer("amd64")
    finished: list[Path] = []

    def take() -> None:
        packages.unpacked("thing", offer, VERSION, finished.append)

    takers = [threading.Thread(target=take) for _ in range(4)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert len(finished) == 1


def test_lists_of_wanted_arch_are_fetched_only(archive: Path) -> None:
    packages.unpacked("thing", packages.Offer("arm64"), VERSION)
    (state,) = (cache.root() / "apt").iterdir()
    assert state.name.endswith("-arm64")


def test_host_releases_have_separate_lists(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = set()
    for name in ("bookworm", "trixie"):
        monkeypatch.setattr(debian, "host", lambda name=name: name)
        trees.add(packages.unpacked_any("thing", "amd64"))
    assert len(trees) == 2
    names = {path.name for path in (cache.root() / "apt").iterdir()}
    assert names == {"host-bookworm-amd64", "host-trixie-amd64"}


def test_unavailable_package_list_is_named(archive: Path) -> None:
    with pytest.raises(packages.PackageError, match="binary-i386/Packages"):
        packages.unpacked_any("thing", BROKEN)


def test_partly_failed_list_update_is_accepted(archive: Path) -> None:
    sources = Path(archive.parent / "sources.list")
    with open(sources, "a", encoding="ascii") as stream:
        stream.write(f"deb [trusted=yes] copy:{archive}/gone stable main\n")
    assert packages.unpacked("thing", packages.Offer("amd64"), VERSION).is_dir()


def test_unavailable_version_gives_advice(archive: Path) -> None:
    with pytest.raises(packages.PackageError, match="apt-get update"):
        packages.unpacked("thing", packages.Offer("amd64"), "9.9")


def test_offers_come_from_recent_lists(archive: Path) -> None:
    offer = packages.Offer("amd64")
    assert packages.offered(offer, ["thing"]) == {"thing": VERSION}
    shutil.rmtree(archive / "dists")
    assert packages.offered(offer, ["thing"]) == {"thing": VERSION}
    with pytest.raises(packages.PackageError, match="^more for amd64: cannot"):
        packages.offered(offer, ["thing", "more"])


def test_apt_runs_in_c_locale(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = archive / "programs"
    programs.mkdir()
    for name in ("apt-get", "apt-cache"):
        (programs / name).write_text('#!/bin/sh\necho "in $LC_ALL" >&2\nexit 1\n')
        (programs / name).chmod(0o755)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    with pytest.raises(packages.PackageError, match="in C$"):
        packages.unpacked("thing", packages.Offer("amd64"), VERSION)


def test_other_version_than_asked_for_is_refused(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (deb,) = (archive / "pool").glob("thing_*_amd64.deb")

    def download(spec: str, offer: packages.Offer, into: Path) -> Path:
        return Path(shutil.copy(deb, into))

    monkeypatch.setattr(packages, "_download", download)
    with pytest.raises(
        packages.PackageError, match=f"asked for version 2, .*{VERSION}"
    ):
        packages.unpacked("thing", packages.Offer("amd64"), "2")
    assert not list((cache.root() / "packages").glob("*"))


def test_failed_download_is_tried_again_with_new_lists(
    archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer = packages.Offer("amd64")
    assert packages.offered(offer, ["thing"]) == {"thing": VERSION}
    (deb,) = (archive / "pool").glob("thing_*_amd64.deb")
    deb.unlink()
    capsys.readouterr()
    with pytest.raises(packages.PackageError, match=f"^thing={VERSION} for amd64"):
        packages.unpacked("thing", offer, VERSION)
    said = capsys.readouterr().err
    assert [line.split()[0] for line in said.splitlines()] == [
        *("fetching", "updating", "fetching")
    ]


def test_package_names_have_the_prefix(archive: Path) -> None:
    offer = packages.Offer("amd64")
    assert packages.names(offer, "th") == ["thing"]
    assert packages.names(offer, "none") == []


def test_release_has_its_own_sources(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = (archive.parent / "sources.list").read_text().strip()
    asked: list[str] = []

    def sources(release: str) -> list[str]:
        asked.append(release)
        return [line] if release == "stable" else ["deb copy:/nonexistent x main"]

    monkeypatch.setattr(debian, "sources", sources)
    monkeypatch.setenv("APT_CONFIG", "/dev/null")
    assert packages.names(packages.Offer("amd64", "stable"), "th") == ["thing"]
    assert packages.names(packages.Offer("amd64", "other"), "th") == []
    assert set(asked) == {"stable", "other"}
