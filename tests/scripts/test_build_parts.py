# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/build_parts.py on machines on which something is missing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import build_parts
import host
import kernels
import other_host
import packages
import pytest
import roots
import sysroot

PACKAGES = {"packages-bookworm", "packages-trixie"}


@pytest.fixture(autouse=True)
def missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the set of missing packages, to which tests add names.

    All other packages count as installed.
    """
    names: set[str] = set()
    monkeypatch.setattr(build_parts, "LEFT_OUT", tmp_path / "left-out")
    monkeypatch.delenv("REQUIRE_ALL", raising=False)
    monkeypatch.setattr(host, "gcc", lambda: "12")
    monkeypatch.setattr(host, "newest", lambda: "6.12")
    monkeypatch.setattr(
        packages, "installed_version", lambda name: None if name in names else "1"
    )
    for module, function in (
        *((kernels, name) for name in ("resolve", "make", "image")),
        *((packages, "unpacked_any"), (sysroot, "sysroot")),
    ):
        monkeypatch.setattr(module, function, lambda *_: Path("/"))
    monkeypatch.setattr(other_host, "root", lambda: Path("/"))
    monkeypatch.setattr(roots, "root", lambda *_, **__: Path("/"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return names


def look(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run build_parts.py with arguments; return its exit status."""
    monkeypatch.setattr(sys, "argv", ["build_parts.py", *arguments])
    return build_parts.main()


def left_out() -> set[str]:
    """Return the names of the parts that are left out."""
    return {path.name for path in build_parts.LEFT_OUT.glob("*")}


def test_full_machine_leaves_out_no_part(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REQUIRE_ALL", "1")
    assert look(monkeypatch) == 0
    assert left_out() == set()
    assert capsys.readouterr() == ("", "")


def test_missing_cross_compiler_leaves_out_arm64(
    missing: set[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    missing.add("gcc-12-aarch64-linux-gnu")
    assert look(monkeypatch) == 0
    arm64 = {f"modules-arm64-{series}" for series in kernels.SUPPORTED["arm64"]}
    assert left_out() == {"user-arm64", *arm64}
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(left_out())
    assert all("apt-get install gcc-12-aarch64-linux-gnu" in line for line in said)


@pytest.mark.parametrize(
    ("package", "names"),
    [
        ("gcc-12-multilib", {"user-i386"}),
        ("libc6-dev-i386", {"user-i386"}),
        ("sparse", {"sparse"}),
        ("mypy", {"python-style"}),
        ("mokutil", {"secure-boot"}),
        ("mmdebstrap", {"other-host", *PACKAGES}),
        ("e2fsprogs", PACKAGES),
        ("linux-source-6.12", {"kunit", "checkpatch"}),
        (
            "qemu-system-arm",
            {f"vm-arm64-{series}" for series in kernels.SUPPORTED["arm64"]},
        ),
    ],
)
def test_missing_package_leaves_out_its_parts(
    package: str, names: set[str], missing: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    missing.add(package)
    assert look(monkeypatch) == 0
    assert left_out() == names


def test_missing_kernel_leaves_out_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def resolve(arch: str, series: str) -> str:
        if (arch, series) == ("x86_64", "6.12"):
            raise kernels.KernelError("no such kernel")
        return series

    monkeypatch.setattr(kernels, "resolve", resolve)
    assert look(monkeypatch) == 0
    assert left_out() == {"modules-x86_64-6.12", "vm-x86_64-6.12", "sparse"}
    reason = build_parts.left_out("kunit", "vm-x86_64-6.12")
    assert reason == "vm-x86_64-6.12 is left out: no such kernel"


def test_missing_libraries_leave_out_their_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fetch(arch: str) -> Path:
        if arch == "i386":
            raise packages.PackageError("no lists")
        return Path("/")

    monkeypatch.setattr(sysroot, "sysroot", fetch)
    assert look(monkeypatch) == 0
    assert left_out() == {"user-i386"}


def test_unprivileged_user_leaves_out_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert look(monkeypatch) == 0
    assert left_out() == PACKAGES
    assert "only root" in str(build_parts.left_out("packages-trixie"))


def test_failed_root_leaves_out_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def make(release: str, wanted: tuple[str, ...], bare: bool = False) -> Path:
        if release == "trixie-backports":
            raise roots.RootError("no such mirror")
        return Path("/")

    monkeypatch.setattr(roots, "root", make)
    assert look(monkeypatch) == 0
    assert left_out() == {"packages-trixie"}
    assert "no such mirror" in str(build_parts.left_out("packages-trixie"))


def test_available_part_is_no_longer_left_out(
    missing: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    missing.update(("sparse", "groff"))
    assert look(monkeypatch) == 0
    assert left_out() == {"sparse", "man-pages"}
    missing.clear()
    assert look(monkeypatch, "sparse") == 0
    assert left_out() == {"man-pages"}


def test_require_all_fails_on_left_out_part(
    missing: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    missing.add("sparse")
    monkeypatch.setenv("REQUIRE_ALL", "1")
    assert look(monkeypatch) == 1


def test_conclude_prints_left_out_parts(
    missing: set[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    missing.add("groff")
    assert look(monkeypatch) == 0
    capsys.readouterr()
    assert look(monkeypatch, "--conclude") == 0
    line = "left out: man-pages: packages are missing: run 'apt-get install groff'\n"
    assert capsys.readouterr().out == line


def test_package_names_have_compiler_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(host, "gcc", lambda: "14")
    assert look(monkeypatch, "--packages") == 0
    names = capsys.readouterr().out.split()
    assert {"gcc-14-aarch64-linux-gnu", "gcc-14-multilib"} < set(names)


def test_host_without_compiler_has_no_parts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> str:
        raise host.HostError("gcc is missing")

    monkeypatch.setattr(host, "gcc", fail)
    assert look(monkeypatch) == 1
    assert capsys.readouterr().err == "build_parts.py: gcc is missing\n"
