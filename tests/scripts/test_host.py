# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/host.py with a simulated release, kernel headers and compiler."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import debian
import host
import packages
import pytest


def use(
    monkeypatch: pytest.MonkeyPatch, release: str, headers: str | None = None
) -> None:
    """Pretend that the host has this release and this version of kernel headers."""
    monkeypatch.setattr(debian, "host", lambda: release)
    monkeypatch.setattr(packages, "installed_version", lambda name: headers)


@pytest.mark.parametrize(
    ("release", "headers", "name"),
    [
        ("bookworm", "6.1.140-1", "6.1"),
        ("bookworm", "6.12.30-1~bpo12+1", "6.12"),
        ("trixie", "6.12.30-1", "6.12-deb13"),
        ("trixie", "7.3.4-1~bpo13+1", "7.3"),
    ],
)
def test_default_kernel_has_the_installed_headers(
    release: str, headers: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, release, headers)
    assert host.kernel() == name


@pytest.mark.parametrize(
    ("release", "headers", "said"),
    [
        ("bookworm", None, "linux-headers-cloud-amd64 is missing: run"),
        (
            "bookworm",
            "5.10.1-1",
            "cloud-amd64 5.10.1-1 of bookworm is not for one of the known kernels: "
            "6.1, 6.12",
        ),
        # Debian 13 has no kernel 6.1.
        ("trixie", "6.1.140-1", "of trixie is not for one of the known kernels"),
        ("", "6.1.140-1", "of this release is not for one of the known kernels"),
    ],
)
def test_unknown_default_kernel_is_refused(
    release: str, headers: str | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, release, headers)
    with pytest.raises(host.HostError, match=said):
        host.kernel()


def test_newest_kernel_excludes_backports(monkeypatch: pytest.MonkeyPatch) -> None:
    for release, name in (("bookworm", "6.12"), ("trixie", "6.12-deb13")):
        use(monkeypatch, release)
        assert host.newest() == name
    for release, what in (("sid", "sid"), ("", "this release")):
        use(monkeypatch, release)
        with pytest.raises(host.HostError, match=f"no known kernel for {what}"):
            host.newest()


@pytest.mark.parametrize("script", [None, "exit 1", "echo 12.2.0"])
def test_compiler_version_is_the_major_one(
    script: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if script:
        (tmp_path / "gcc").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "gcc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    if script and script.startswith("echo"):
        assert host.gcc() == "12"
        return
    with pytest.raises(host.HostError, match="gcc is missing: run"):
        host.gcc()


@pytest.mark.parametrize(
    ("words", "status", "out", "err"),
    [
        (["newest"], 0, "6.12\n", ""),
        (["kernel"], 1, "", "host.py: linux-headers-cloud-amd64 is missing"),
        ([], 2, "", "usage: host.py kernel|newest|gcc"),
        (["release"], 2, "", "usage: host.py kernel|newest|gcc"),
    ],
)
def test_host_command_prints_one_value(
    words: list[str],
    status: int,
    out: str,
    err: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use(monkeypatch, "bookworm")
    monkeypatch.setattr(sys, "argv", ["host.py", *words])
    assert host.main() == status
    printed = capsys.readouterr()
    assert printed.out == out and printed.err.startswith(err)
    assert bool(printed.err) == bool(err)


@pytest.mark.parametrize(
    ("system", "release"),
    [
        ({"ID": "debian", "VERSION_CODENAME": "trixie"}, "trixie"),
        ({"ID": "debian"}, ""),
        ({"ID": "ubuntu", "VERSION_CODENAME": "noble"}, ""),
        (None, ""),
    ],
)
def test_host_release_is_known_on_debian_only(
    system: dict[str, str] | None, release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def os_release() -> dict[str, str]:
        if system is None:
            raise OSError("no os-release")
        return system

    monkeypatch.setattr(platform, "freedesktop_os_release", os_release)
    assert debian.host() == release
