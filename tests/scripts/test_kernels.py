# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/kernels.py on hosts of several releases, without packages."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import cache
import debian
import host
import kernels
import packages
import pytest
import roots

OFFERED = {
    "bookworm": ["6.1.0-9", "6.1.0-56", "6.12.9+deb12", "6.12.117+deb12"],
    "trixie": ["6.12.107+deb13", "6.12.115+deb13.1", "6.12.115+deb13"],
    "trixie-backports": ["6.12.107+deb13", "7.2.12+deb13", "7.3.4+deb13"],
    "sid": ["7.2.13+deb14"],
}


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulate a Debian 12 host; return its empty directory of kernel headers."""
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kernels, "HEADERS", tmp_path)
    monkeypatch.setattr(packages, "installed_version", lambda name: "1")
    monkeypatch.setattr(packages, "native", lambda: "amd64")
    monkeypatch.setattr(debian, "host", lambda: "bookworm")

    def names(offer: packages.Offer, prefix: str) -> list[str]:
        releases = OFFERED.get(offer.release or debian.host(), [])
        meta = ["linux-headers-6.12", "linux-headers"]
        known = [*(f"linux-headers-{release}" for release in releases), *meta]
        flavours = [f"{name}-{offer.arch}" for name in ("cloud", "rt")]
        packaged = [f"{name}-{flavour}" for name in known for flavour in flavours]
        return [name for name in packaged if name.startswith(prefix)]

    monkeypatch.setattr(packages, "names", names)
    monkeypatch.setattr(
        packages, "offered", lambda offer, names: dict.fromkeys(names, "2")
    )
    return tmp_path


def test_the_makefile_builds_for_every_kernel() -> None:
    text = (roots.TREE / "Makefile").read_text().replace("\\\n", " ")
    found = re.search(r"^TARGETS := (.*)$", text, re.MULTILINE)
    assert found and set(found[1].split()) == {
        f"{arch}-{name}"
        for arch in kernels.SUPPORTED
        for name in kernels.SUPPORTED[arch]
    }
    refused = re.search(r"^REFUSED_TARGETS := (.*)$", text, re.MULTILINE)
    assert refused and refused[1].split() == [f"x86_64-{n}" for n in kernels.REFUSED]
    newest = re.search(r"^NEWEST_TARGETS := (.*)$", text, re.MULTILINE)
    assert newest and newest[1].split() == [f"x86_64-{name}" for name in kernels.NEWEST]


@pytest.mark.parametrize(
    ("arch", "name", "release"),
    [
        ("x86_64", "6.1", "6.1.0-56-cloud-amd64"),
        ("arm64", "6.12", "6.12.117+deb12-cloud-arm64"),
        ("x86_64", "6.12-deb13", "6.12.115+deb13.1-cloud-amd64"),
        ("x86_64", "7.3", "7.3.4+deb13-cloud-amd64"),
        ("x86_64", "6.12-rt", "6.12.117+deb12-rt-amd64"),
        ("x86_64", "backports", "7.3.4+deb13-cloud-amd64"),
        ("x86_64", "sid", "7.2.13+deb14-cloud-amd64"),
    ],
)
def test_newest_kernel_without_installed_headers(
    arch: str, name: str, release: str
) -> None:
    assert kernels.resolve(arch, name).release == release


def test_installed_headers_select_kernel_version(
    installed: Path,
) -> None:
    (installed / "linux-headers-6.1.0-9-cloud-amd64").mkdir()
    assert kernels.resolve("x86_64", "6.1").release == "6.1.0-9-cloud-amd64"
    kernel = kernels.resolve("arm64", "6.1")
    assert (kernel.release, kernel.version) == ("6.1.0-9-cloud-arm64", "1")


def test_newest_kernel_is_not_a_realtime_kernel() -> None:
    assert host.newest() == "6.12"


def test_headers_of_other_release_are_ignored(installed: Path) -> None:
    (installed / "linux-headers-6.12.9+deb12-cloud-amd64").mkdir()
    kernel = kernels.resolve("x86_64", "6.12-deb13")
    assert kernel.release == "6.12.115+deb13.1-cloud-amd64"


@pytest.mark.parametrize(
    ("host", "native"),
    [
        ("bookworm", {"6.1", "6.12", "6.12-rt"}),
        ("trixie", {"6.12-deb13", "7.3"}),
        ("", set()),
    ],
)
def test_modules_of_other_release_use_root(
    host: str, native: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "host", lambda: host)
    monkeypatch.setattr(kernels, "kdir", lambda kernel: Path("/headers"))
    monkeypatch.setattr(roots, "root", lambda release, wanted: Path("/roots") / release)
    for name, series in kernels.KERNELS.items():
        command = kernels.make(kernels.resolve("x86_64", name), ["modules"])
        assert command[-4:] == ["make", "-C", "/headers", "modules"]
        root = f"/roots/{debian.base(series.release)}"
        assert (root not in command) == (name in native)


def test_cached_headers_serve_without_offer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packages, "names", lambda offer, prefix: [])
    with pytest.raises(kernels.KernelError, match="trixie-backports offers no kernel"):
        kernels.resolve("x86_64", "7.3")
    (cache.root() / "headers/7.3.4+deb13-cloud-amd64_1%3a7.3.4-1").mkdir(parents=True)
    kernel = kernels.resolve("x86_64", "7.3")
    assert (kernel.release, kernel.version) == ("7.3.4+deb13-cloud-amd64", "1:7.3.4-1")


def test_an_unknown_kernel_names_the_known_ones() -> None:
    with pytest.raises(kernels.KernelError, match="6.1, 6.12, 6.12-deb13, 7.3"):
        kernels.resolve("x86_64", "5.10")


def test_an_unknown_architecture_names_the_known_ones() -> None:
    with pytest.raises(kernels.KernelError, match="'mips'; choose one of: x86_64, arm"):
        kernels.resolve("mips", "6.1")


def test_missing_cross_compiler_names_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "kdir", lambda kernel: Path("/headers"))
    monkeypatch.setenv("PATH", str(tmp_path))
    kernel = kernels.resolve("arm64", "6.1")
    with pytest.raises(kernels.KernelError, match="install gcc-12-aarch64-linux-gnu"):
        kernels.make(kernel, [])
    compiler = tmp_path / "aarch64-linux-gnu-gcc-12"
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o755)
    assert f"CC={compiler.name}" in kernels.make(kernel, [])


def test_depmod_failures_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib/modules/6.1").mkdir(parents=True)
    kernels.depmod(tmp_path, "6.1")
    assert (tmp_path / "lib/modules/6.1/modules.dep").exists()
    with pytest.raises(kernels.KernelError, match="depmod failed: .*6.2"):
        kernels.depmod(tmp_path, "6.2")
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(kernels.KernelError, match="apt-get install kmod"):
        kernels.depmod(tmp_path, "6.1")


@pytest.mark.parametrize(
    ("words", "status", "out", "err"),
    [
        (["release"], 0, "6.1.0-56-cloud-amd64\n", ""),
        (["--kernel=6.12", "release"], 0, "6.12.117+deb12-cloud-amd64\n", ""),
        (["--kernel=5.10", "kdir"], 1, "", "kernels.py: no kernel '5.10' for x86_64"),
    ],
)
def test_kernels_command_prints_one_value(
    words: list[str],
    status: int,
    out: str,
    err: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["kernels.py", *words])
    assert kernels.main() == status
    printed = capsys.readouterr()
    assert printed.out == out and printed.err.startswith(err)
