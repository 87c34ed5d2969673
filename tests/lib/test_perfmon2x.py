# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the symbols of libpfm2x and libpfm22, and errors if perfmon is not loaded."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CALLS = """
    create_context write_pmcs write_pmds read_pmds load_context start stop restart
    unload_context create_evtsets delete_evtsets getinfo_evtsets
""".split()
ON_CONTEXTS = """
    write_pmcs write_pmds read_pmds read_none load start stop restart unload
    create_evtsets delete_evtsets getinfo_evtsets
""".split()


@pytest.fixture(scope="module", name="results")
def fixture_results(errors_of: Callable[[str], dict[str, str]]) -> dict[str, str]:
    """Return "RESULT ERRNO" of each call in perfmon2x_errors."""
    return errors_of("perfmon2x_errors")


@pytest.mark.parametrize("call", ["create", "create_known", "create_unknown"])
def test_create_without_device_is_enosys(results: dict[str, str], call: str) -> None:
    assert results[call] == "-1 ENOSYS"


def test_null_context_is_efault(results: dict[str, str]) -> None:
    assert results["create_null"] == "-1 EFAULT"


def test_huge_argument_is_e2big(results: dict[str, str]) -> None:
    assert results["create_huge"] == "-1 E2BIG"


@pytest.mark.parametrize("call", ON_CONTEXTS)
@pytest.mark.parametrize("descriptor", ["closed", "pipe"])
def test_descriptor_that_is_no_context_is_ebadf(
    results: dict[str, str], descriptor: str, call: str
) -> None:
    assert results[f"{descriptor}_{call}"] == "-1 EBADF"


def test_negative_vector_length_is_einval(results: dict[str, str]) -> None:
    assert results["write_negative"] == "-1 EINVAL"


def test_missing_vector_is_efault(results: dict[str, str]) -> None:
    assert results["write_null"] == "-1 EFAULT"


def test_mmap_of_other_file_calls_no_ioctl(results: dict[str, str]) -> None:
    assert results["mmap_other"] == "-1 EINVAL"
    assert results["ioctls_to_other"] == "0 0"


# Proves P4.1-02
@pytest.mark.parametrize("library", ["libpfm2x.so.0", "libpfm22.so.0"])
def test_library_exports_the_twelve_calls(programs: Path, library: str) -> None:
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", programs / library],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = {line.split()[2] for line in symbols.splitlines()}
    assert names == {*(f"pfm_{call}" for call in CALLS), "mmap", "mmap64"}


# Proves P4.1-17
@pytest.mark.parametrize("width", ["-m64", "-m32"])
@pytest.mark.parametrize("header", ["perfmon2x.h", "perfmon22.h"])
def test_layouts_hold_in_both_widths(header: str, width: str) -> None:
    _compile(f"#include <perfmon/{header}>\n", width)


def test_header_can_follow_perfmon_h() -> None:
    _compile("#include <perfmon/perfmon.h>\n#include <perfmon/perfmon2x.h>\n", "-m64")


def _compile(source: str, width: str) -> None:
    """Compile, so that the compiler checks the header's assertions."""
    options = ["-Wall", "-Wextra", "-Werror", "-std=gnu11", "-fsyntax-only"]
    # Without gcc-multilib, Debian has <asm/> only in this directory, which -m32 does
    # not search.
    paths = [f"-I{ROOT}/sdk/include", "-idirafter", "/usr/include/x86_64-linux-gnu"]
    subprocess.run(
        ["gcc", width, *options, *paths, "-x", "c", "-"],
        input=source,
        text=True,
        check=True,
    )
