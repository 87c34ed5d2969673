# SPDX-License-Identifier: MIT OR GPL-2.0
"""Debian packages: versions of installed packages, and unpacked packages in the cache.

Packages are downloaded with apt, which checks their signatures, and unpacked into the
cache with dpkg; nothing is installed, and root is not needed. apt uses a separate state
directory in the cache for each architecture and release. Therefore the machine's dpkg
need not know the other architectures, and missing package lists of one release do not
affect other releases. Package lists that lack a requested package are updated. The
default release is the machine's own, with the machine's apt sources.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import cache
import debian

# Package lists older than this are updated before use.
OLD_SECONDS = 7 * 24 * 3600
# The file whose modification time is the time of the last update.
UPDATED = "updated"
# A package's name and version in the output of apt-cache.
VERSION = re.compile(r"^Package: (.*)$(?:\n.+)*?\nVersion: (.*)$", re.MULTILINE)

Result = TypeVar("Result")


class PackageError(Exception):
    """A package is missing or cannot be fetched; the message says what to do."""


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


@dataclass(frozen=True)
class Offer:
    """Where packages come from: an architecture and a release.

    An empty release means the machine's own release.
    """

    arch: str
    release: str = ""

    def __str__(self) -> str:
        return f"{self.release} {self.arch}".strip()


def native() -> str:
    """Return the machine's architecture in Debian's spelling."""
    told = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


def unpacked(
    package: str,
    offer: Offer,
    version: str,
    finish: Callable[[Path], None] = lambda tree: None,
) -> Path:
    """Return the directory with the content of exactly this version of a package.

    `finish` is called with the directory before the directory enters the cache.
    Raises PackageError if that version cannot be downloaded.
    """
    parts = [(package, offer, version)]
    return combined(_entry(package, offer, version), parts, finish)


def combined(
    entry: Path,
    parts: Iterable[tuple[str, Offer, str]],
    finish: Callable[[Path], None] = lambda tree: None,
) -> Path:
    """Return a directory in the cache with several unpacked packages.

    Each part is a package, its offer and its version. `finish`, which is called with
    the directory, may extract further packages. Raises PackageError if a package cannot
    be downloaded.
    """
    if entry.is_dir():
        return entry
    with cache.locked(f"locks/{entry.name}"):
        if not entry.is_dir():
            with cache.filling(entry) as tree:
                for package, offer, version in parts:
                    extract(tree, package, offer, version)
                finish(tree)
    return entry


def unpacked_any(package: str, arch: str, release: str = "") -> Path:
    """Return the directory with the content of a package, in any version.

    A version in the cache is used only if it is from the same release, because
    libraries of a newer release may need a newer C library. Raises PackageError if the
    package is not in the cache and cannot be downloaded.
    """
    offer = Offer(arch, release)
    directory = _directory() / _release(offer)
    with cache.locked(f"locks/{package}-{_state(offer).name}"):
        known = sorted(directory.glob(f"{package}_*_{arch}"))
        if known:
            return known[-1]
        failure = _update(offer)
        version = _field(package, offer, "Version")
        if version is None:
            raise _unavailable(f"{package} for {offer}", failure)
        entry = directory / _entry(package, offer, version).name
        with cache.filling(entry) as tree:
            extract(tree, package, offer, version)
    return entry


def offered(offer: Offer, names: Iterable[str]) -> dict[str, str]:
    """Return the versions in which a release offers these packages, by name.

    The package lists are updated if they are old or lack a package. Raises PackageError
    if a package is not offered.
    """
    wanted = list(names)
    found: dict[str, str] = {}

    def look() -> bool | None:
        shown = _apt(offer, "apt-cache", "show", "--no-all-versions", *wanted)
        found.clear()
        found.update(VERSION.findall(shown.stdout))
        return set(wanted) <= set(found) or None

    complete, failure = _looked_up(offer, look)
    if not complete:
        missing = [name for name in wanted if name not in found]
        raise _unavailable(f"{', '.join(missing)} for {offer}", failure)
    return found


def names(offer: Offer, prefix: str) -> list[str]:
    """Return the names of a release's packages with this prefix.

    The package lists are updated if they are old or contain no such name.
    """

    def look() -> list[str] | None:
        shown = _apt(offer, "apt-cache", "pkgnames", prefix).stdout
        return shown.split() or None

    return _looked_up(offer, look)[0] or []


def _looked_up(
    offer: Offer, look: Callable[[], Result | None]
) -> tuple[Result | None, str | None]:
    """Return the result of `look`, and the error (or None) of updating package lists.

    The lists are updated if they are old, or if `look` returns None at first.
    """
    found = look() if _age(offer) < OLD_SECONDS else None
    if found is not None:
        return found, None
    failure = _update(offer)
    return look(), failure


def _entry(package: str, offer: Offer, version: str) -> Path:
    name = f"{package}_{version.replace(':', '%3a')}_{offer.arch}"
    return _directory() / name


def _directory() -> Path:
    return cache.root() / "packages"


def extract(tree: Path, package: str, offer: Offer, version: str) -> None:
    """Unpack a package into a directory that will be a cache entry.

    Raises PackageError if that version cannot be downloaded.
    """
    archive = _download(f"{package}={version}", offer, tree)
    _expect_version(archive, version)
    subprocess.run(["dpkg", "-x", str(archive), str(tree)], check=True)
    archive.unlink()


def _download(spec: str, offer: Offer, into: Path) -> Path:
    """Download PACKAGE=VERSION; update the package lists only if necessary."""
    failure = None
    for update_first in (False, True):
        if update_first:
            failure = _update(offer)
        size = _field(spec, offer, "Size")
        if size is None:
            continue
        _say(f"fetching {spec} for {offer} ({int(size) / 1e6:.0f} MB)")
        if _apt(offer, "apt-get", "-q", "download", spec, cwd=into).returncode == 0:
            return next(into.glob("*.deb"))
    raise _unavailable(f"{spec} for {offer}", failure)


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


def _update(offer: Offer) -> str | None:
    """Update the package lists; return the error, None on success.

    The caller can ignore the error if apt knows the wanted package.
    """
    _say(f"updating the package lists for {offer}")
    updated = _apt(offer, "apt-get", "-q", "update", alone=True)
    if updated.returncode or "Failed to fetch" in updated.stderr:
        return updated.stderr.strip()
    (_state(offer) / UPDATED).touch()
    return None


def _age(offer: Offer) -> float:
    """Return the seconds since the last update of the package lists."""
    stamp = _state(offer) / UPDATED
    return time.time() - stamp.stat().st_mtime if stamp.exists() else float("inf")


def _state(offer: Offer) -> Path:
    """Return the directory for apt's state for an offer."""
    return cache.root() / "apt" / f"{_release(offer)}-{offer.arch}"


def _release(offer: Offer) -> str:
    """Return the name of an offer's release for file names.

    If it is the host's release, the name says which one, because hosts with different
    releases may share the cache.
    """
    return offer.release or f"host-{debian.host()}"


def _field(spec: str, offer: Offer, field: str) -> str | None:
    """Return a field of a package's control data, None if apt does not know it."""
    shown = _apt(offer, "apt-cache", "show", "--no-all-versions", spec).stdout
    match = re.search(rf"^{field}: (.*)$", shown, re.MULTILINE)
    return match.group(1) if match else None


def _apt(
    offer: Offer,
    tool: str,
    *arguments: str,
    cwd: Path | None = None,
    alone: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run one of apt's programs with the state directory of an offer.

    alone: wait for other programs with this state directory, and keep them waiting,
    because this one changes the state.
    """
    state = _state(offer)
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
        f"APT::Architecture={offer.arch}",
        f"APT::Architectures={offer.arch}",
    ]
    if offer.release:
        listed = _list_sources(state, offer.release)
        options += [f"Dir::Etc::SourceList={listed}", "Dir::Etc::SourceParts=/dev/null"]
    command = [tool]
    for option in options:
        command += ["-o", option]
    with cache.locked(f"apt/{state.name}/lists", shared=not alone):
        return subprocess.run(
            [*command, *arguments],
            cwd=cwd,
            # The callers parse the output, which must not be translated.
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


def _list_sources(state: Path, release: str) -> Path:
    """Return the file with a release's apt sources; update it atomically."""
    listed = state / "sources.list"
    text = "\n".join(debian.sources(release)) + "\n"
    if not listed.exists() or listed.read_text() != text:
        with tempfile.NamedTemporaryFile("w", dir=state, delete=False) as new:
            new.write(text)
        os.replace(new.name, listed)
    return listed


def _unavailable(spec: str, failure: str | None) -> PackageError:
    if failure:
        return PackageError(
            f"{spec}: cannot be downloaded because the package lists cannot be "
            f"updated; check the network and apt's sources:\n{failure}"
        )
    return PackageError(
        f"{spec}: cannot be downloaded. If the release now offers a later version, "
        "upgrade the installed packages: apt-get update && apt-get upgrade"
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
