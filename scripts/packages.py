# SPDX-License-Identifier: MIT OR GPL-2.0
"""Debian packages: which are installed, and unpacked ones that are not.

Packages are downloaded with apt, which checks their signatures, and unpacked into
the cache with dpkg; nothing is installed and root is not needed. apt works on a state
of its own inside the cache, so that packages of another architecture can be had
without telling the machine's dpkg about that architecture.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cache

ARCHITECTURES = ("amd64", "arm64", "i386")


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
            _fill(entry, f"{package}:{arch}={version}", finish)
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
        failure = _update()
        spec = f"{package}:{arch}"
        version = _field(spec, "Version")
        if version is None:
            raise _unavailable(spec, failure)
        entry = _entry(package, arch, version)
        _fill(entry, f"{spec}={version}", lambda tree: None)
    return entry


def _entry(package: str, arch: str, version: str) -> Path:
    name = f"{package}_{version.replace(':', '%3a')}_{arch}"
    return _directory() / name


def _directory() -> Path:
    return cache.root() / "packages"


def _fill(entry: Path, spec: str, finish: Callable[[Path], None]) -> None:
    with cache.filling(entry) as tree:
        archive = _download(spec, tree)
        _expect_version(archive, spec)
        subprocess.run(["dpkg", "-x", str(archive), str(tree)], check=True)
        archive.unlink()
        finish(tree)


def _download(spec: str, into: Path) -> Path:
    """Download one package; the package lists are updated first only if need be."""
    failure = None
    for update_first in (False, True):
        if update_first:
            failure = _update()
        size = _field(spec, "Size")
        if size is None:
            continue
        _say(f"fetching {spec} ({int(size) / 1e6:.0f} MB)")
        if _apt("apt-get", "-q", "download", spec, cwd=into).returncode == 0:
            return next(into.glob("*.deb"))
    raise _unavailable(spec, failure)


def _expect_version(archive: Path, spec: str) -> None:
    wanted = spec.partition("=")[2]
    found = subprocess.run(
        ["dpkg-deb", "-f", str(archive), "Version"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if found != wanted:
        raise PackageError(f"asked for {spec}, but version {found} was downloaded")


def _update() -> str | None:
    """Update the package lists; return what failed, None if nothing did.

    A list that cannot be had matters only if the wanted package is in it.
    """
    _say("updating the package lists")
    updated = _apt("apt-get", "-q", "update")
    return updated.stderr.strip() if updated.returncode else None


def _field(spec: str, field: str) -> str | None:
    """Return a field of the package's control data, None if apt does not know it."""
    shown = _apt("apt-cache", "show", "--no-all-versions", spec).stdout
    match = re.search(rf"^{field}: (.*)$", shown, re.MULTILINE)
    return match.group(1) if match else None


def _apt(
    tool: str, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    state = cache.root() / "apt"
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
        *(f"APT::Architectures::={arch}" for arch in ARCHITECTURES),
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
