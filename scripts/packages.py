# SPDX-License-Identifier: MIT OR GPL-2.0
"""Debian packages: which are installed, and unpacked ones that are not.

Packages are downloaded with apt, which checks their signatures, and unpacked into
the cache with dpkg; nothing is installed and root is not needed. apt works on states
of its own inside the cache, one for each architecture: the machine's dpkg need not
know the other architectures, and package lists of one that cannot be had take nothing
away from the others. Lists are updated when a package of that architecture is wanted
that they do not offer.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cache


class PackageError(Exception):
    """A package is missing or cannot be had; the text says what to do about it."""


def installed_version(package: str) -> str | None:
    """Return the version of an installed package, None if it is not installed."""
    query = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package],
        capture_output=True,
        text=True,
        check=False,
    )
    status, _, version = query.stdout.partition(" ")
    return version if query.returncode == 0 and status == "installed" else None


def unpacked(
    package: str,
    arch: str,
    version: str,
    finish: Callable[[Path], None] = lambda tree: None,
) -> Path:
    """Return the directory with the content of exactly this version of a package.

    `finish` is called with the freshly unpacked directory, before it enters the cache.
    Raises PackageError if that version cannot be downloaded.
    """
    entry = _entry(package, arch, version)
    if entry.is_dir():
        return entry
    with cache.locked("packages"):
        if not entry.is_dir():
            _fill(entry, package, arch, version, finish)
    return entry


def unpacked_any(package: str, arch: str) -> Path:
    """Return the directory with the content of a package in whatever version.

    A version in the cache is preferred to a download.
    Raises PackageError if the package is not in the cache and cannot be downloaded.
    """
    with cache.locked("packages"):
        known = sorted(_directory().glob(f"{package}_*_{arch}"))
        if known:
            return known[-1]
        failure = _update(arch)
        version = _field(package, arch, "Version")
        if version is None:
            raise _unavailable(f"{package}:{arch}", failure)
        entry = _entry(package, arch, version)
        _fill(entry, package, arch, version, lambda tree: None)
    return entry


def _entry(package: str, arch: str, version: str) -> Path:
    name = f"{package}_{version.replace(':', '%3a')}_{arch}"
    return _directory() / name


def _directory() -> Path:
    return cache.root() / "packages"


def _fill(
    entry: Path,
    package: str,
    arch: str,
    version: str,
    finish: Callable[[Path], None],
) -> None:
    with cache.filling(entry) as tree:
        archive = _download(f"{package}={version}", arch, tree)
        _expect_version(archive, version)
        subprocess.run(["dpkg", "-x", str(archive), str(tree)], check=True)
        archive.unlink()
        finish(tree)


def _download(spec: str, arch: str, into: Path) -> Path:
    """Download PACKAGE=VERSION; the package lists are updated first only if need be."""
    failure = None
    for update_first in (False, True):
        if update_first:
            failure = _update(arch)
        size = _field(spec, arch, "Size")
        if size is None:
            continue
        _say(f"fetching {spec} for {arch} ({int(size) / 1e6:.0f} MB)")
        if _apt(arch, "apt-get", "-q", "download", spec, cwd=into).returncode == 0:
            return next(into.glob("*.deb"))
    raise _unavailable(f"{spec} for {arch}", failure)


def _expect_version(archive: Path, wanted: str) -> None:
    found = subprocess.run(
        ["dpkg-deb", "-f", str(archive), "Version"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if found != wanted:
        raise PackageError(
            f"asked for version {wanted}, but {archive.name} of version {found} "
            "was downloaded"
        )


def _update(arch: str) -> str | None:
    """Update the package lists; return what failed, None if nothing did.

    A list that cannot be had matters only if the wanted package is in it.
    """
    _say(f"updating the package lists for {arch}")
    updated = _apt(arch, "apt-get", "-q", "update")
    failed = updated.returncode or "Failed to fetch" in updated.stderr
    return updated.stderr.strip() if failed else None


def _field(spec: str, arch: str, field: str) -> str | None:
    """Return a field of the package's control data, None if apt does not know it."""
    shown = _apt(arch, "apt-cache", "show", "--no-all-versions", spec).stdout
    match = re.search(rf"^{field}: (.*)$", shown, re.MULTILINE)
    return match.group(1) if match else None


def _apt(
    arch: str, tool: str, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program of apt on the state that belongs to an architecture."""
    state = cache.root() / "apt" / arch
    for directory in ("lists/partial", "archives/partial"):
        (state / directory).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    options = [
        f"Dir::State={state}",
        f"Dir::State::lists={state}/lists",
        f"Dir::State::status={state}/status",
        f"Dir::Cache={state}",
        f"Dir::Cache::archives={state}/archives",
        "APT::Sandbox::User=root",
        "Acquire::Languages=none",
        f"APT::Architecture={arch}",
        f"APT::Architectures={arch}",
    ]
    command = [tool]
    for option in options:
        command += ["-o", option]
    return subprocess.run(
        [*command, *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def _unavailable(spec: str, failure: str | None) -> PackageError:
    if failure:
        return PackageError(
            f"the package {spec} cannot be downloaded, and the package lists cannot "
            f"be updated; check the network and the sources of apt:\n{failure}"
        )
    return PackageError(
        f"the package {spec} cannot be downloaded. If its version is no longer "
        "offered, bring the installed packages up to date: "
        "apt-get update && apt-get upgrade"
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
