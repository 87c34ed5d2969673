# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test where scripts/vm/supply.py finds kernels, modules and formats."""

from __future__ import annotations

import lzma
import os
import platform
from pathlib import Path

import host
import kernels
import module_sources
import pytest
import supply

RELEASE = "6.12.9+deb13-amd64"
KERNEL = kernels.Kernel("x86_64", RELEASE, RELEASE, "", "")


@pytest.fixture(name="machine")
def fixture_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulate a machine with an installed SDK; return its root directory.

    The image of the running kernel is installed.
    """
    monkeypatch.setattr(supply, "MACHINE", tmp_path)
    monkeypatch.setattr(supply, "is_checkout", lambda: False)
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(platform, "release", lambda: RELEASE)
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot" / f"vmlinuz-{RELEASE}").touch()
    return tmp_path


def module(path: Path, release: str = RELEASE) -> Path:
    """Write a file that looks like a module; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x7fELF\0vermagic=" + release.encode() + b" SMP \0")
    return path


@pytest.mark.usefixtures("machine")
def test_default_is_own_kernel() -> None:
    assert supply.kernel("x86_64", None) == KERNEL
    assert supply.image(KERNEL).name == f"vmlinuz-{RELEASE}"


@pytest.mark.usefixtures("machine")
def test_installed_kernel_is_found_by_release() -> None:
    assert supply.kernel("x86_64", RELEASE) == KERNEL


def test_unbootable_kernel_is_not_default(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = kernels.Kernel("x86_64", "6.12", "6.12.1", "1", "trixie")
    (machine / "boot" / f"vmlinuz-{RELEASE}").unlink()
    monkeypatch.setattr(host, "newest", lambda: "6.12")
    monkeypatch.setattr(kernels, "resolve", lambda arch, name: other)
    assert supply.kernel("x86_64", None) == other


@pytest.mark.usefixtures("machine")
def test_unknown_kernel_lists_installed_kernels() -> None:
    with pytest.raises(supply.SupplyError, match=f"on this machine: .*{RELEASE[-6:]}"):
        supply.kernel("x86_64", "2.6.30")


@pytest.mark.parametrize("place", ["updates/dkms", "updates/perfmon/core"])
def test_installed_modules_are_used(machine: Path, place: str) -> None:
    top = machine / "lib/modules" / RELEASE / place
    for name in ("perfmon.ko.xz", "pfm_pmu_perf.ko", "nvidia.ko"):
        module(top / name)
    dkms = machine / f"var/lib/dkms/perfmon/kernel-{RELEASE}-x86_64/Module.symvers"
    dkms.parent.mkdir(parents=True)
    dkms.touch()
    found = supply.modules(KERNEL, None)
    assert set(map(str, found.files)) == {"perfmon.ko", "pfm_pmu_perf.ko"}
    assert found.symvers == dkms


@pytest.mark.usefixtures("machine")
def test_missing_modules_are_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = module(tmp_path / "built/perfmon.ko").parent
    monkeypatch.setattr(module_sources, "built", lambda kernel: built)
    assert supply.modules(KERNEL, None).files == {
        Path("perfmon.ko"): built / "perfmon.ko"
    }
    assert not supply.modules(KERNEL, None, needed=False).files


def test_headers_that_are_missing_are_named() -> None:
    with pytest.raises(
        module_sources.BuildError, match=f"linux-headers-{KERNEL.release[:4]}"
    ):
        module_sources.build(KERNEL, "/nonexistent", "a format")


def formats(tmp_path: Path, path: Path) -> list[Path]:
    """Return the modules of a format."""
    ours = supply.Modules({}, "/lib/modules", None)
    return list(supply.formats([path], KERNEL, ours, tmp_path))


def test_format_for_other_kernel_is_refused(tmp_path: Path) -> None:
    mine = module(tmp_path / "mine.ko")
    assert formats(tmp_path, mine) == [mine]
    other = module(tmp_path / "other.ko", "6.1.0-1-amd64")
    with pytest.raises(
        supply.SupplyError, match="other.ko was built for 6.1.0-1-amd64"
    ):
        formats(tmp_path, other)


def test_file_that_is_not_a_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.ko").write_text("text\n")
    with pytest.raises(supply.SupplyError, match="is not a kernel module"):
        formats(tmp_path, tmp_path / "mine.ko")


def test_format_folder_needs_module_symvers(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("obj-m := mine.o\n")
    with pytest.raises(supply.SupplyError, match="has no Module.symvers"):
        formats(tmp_path / "work", tmp_path)


def test_unreadable_kernel_gives_advice(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(supply.SupplyError, match="run this as root, or use --kernel"):
        supply.image(KERNEL)


def test_kernel_modules_are_those_of_the_kernel(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "modules", lambda kernel: Path("/fetched"))
    monkeypatch.setattr(kernels, "image", lambda kernel: Path("/fetched/vmlinuz"))
    assert supply.kernel_modules(KERNEL) == machine / f"usr/lib/modules/{RELEASE}"
    other = kernels.Kernel("x86_64", "6.12", "6.12.1", "1", "trixie")
    assert supply.kernel_modules(other) == Path("/fetched")
    assert supply.image(other) == Path("/fetched/vmlinuz")


def test_modules_of_a_checkout_are_in_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supply, "TREE", tmp_path)
    (tmp_path / "Makefile").touch()
    built = tmp_path / "build/kmod/x86_64-6.12"
    module(built / "core/perfmon.ko")
    other = kernels.Kernel("x86_64", "6.12", "6.12.1", "1", "trixie")
    assert supply.modules(other, None) == supply.Modules(
        {Path("core/perfmon.ko"): built / "core/perfmon.ko"}, str(built), None
    )
    (built / "Module.symvers").touch()
    assert supply.modules(other, None).symvers == built / "Module.symvers"


def test_compressed_module_is_copied_decompressed(tmp_path: Path) -> None:
    (tmp_path / "a.ko").write_bytes(b"plain")
    (tmp_path / "b.ko.xz").write_bytes(lzma.compress(b"packed"))
    for source, data in (("a.ko", b"plain"), ("b.ko.xz", b"packed")):
        supply.copy_module(tmp_path / source, tmp_path / "guest/x.ko")
        assert (tmp_path / "guest/x.ko").read_bytes() == data


@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
def test_installed_pfmon_is_for_the_own_machine(
    arch: str, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supply, "TREE", machine / "share/perfmon/src")
    monkeypatch.setenv("PATH", "")
    assert supply.programs(arch) == ([], None)
    pfmon, library = machine / "bin/pfmon", machine / "lib/x/libperfmon.so.0"
    for path in (pfmon, library):
        path.parent.mkdir(parents=True)
        path.touch(0o755)
    native = arch == "x86_64"
    assert supply.programs(arch) == (
        ([pfmon], library.parent) if native else ([], None)
    )


def test_guests_have_no_programs_for_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supply, "TREE", tmp_path)
    sources = ("Makefile", "tests/tools/printer.c", "tests/lib/errors.c")
    programs = ("pfmon", "tests/attach", "printer", "errors", "option_docs")
    for name in (*sources, *(f"build/x86_64/{program}" for program in programs)):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o755)
    built = tmp_path / "build/x86_64"
    found, _ = supply.programs("x86_64")
    assert found == [built / "pfmon", built / "tests/attach"]


def test_missing_format_module_is_named(tmp_path: Path) -> None:
    with pytest.raises(supply.SupplyError, match="gone.ko: No such file"):
        formats(tmp_path, tmp_path / "gone.ko")
