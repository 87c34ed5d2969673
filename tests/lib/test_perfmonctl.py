# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the errors of libperfmon if the kernel has no perfmon."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

COMMANDS = (
    "write_pmcs write_pmds read_pmds load start start_null stop restart unload"
    " set_fmt_arg"
).split()


@pytest.fixture(scope="module", name="results")
def fixture_results(errors_of: Callable[[str], dict[str, str]]) -> dict[str, str]:
    """Return "RESULT ERRNO" of each call in perfmonctl_errors."""
    return errors_of("perfmonctl_errors")


# Proves 3.1-05
@pytest.mark.parametrize("call", ["create", "create_null", "create_context"])
def test_create_without_device_is_enosys(results: dict[str, str], call: str) -> None:
    assert results[call] == "-1 ENOSYS"


# Proves 3.1-05
@pytest.mark.parametrize(
    "call", ["getinfo_pmcs", "getinfo_pmds", "set_config", "get_config"]
)
def test_call_without_device_is_enosys(results: dict[str, str], call: str) -> None:
    assert results[call] == "-1 ENOSYS"


# Proves 3.1.1-02
@pytest.mark.parametrize("call", ["create_0", "create_2"])
def test_create_takes_exactly_one_context(results: dict[str, str], call: str) -> None:
    assert results[call] == "-1 EINVAL"


# Proves 3.1.1-26
def test_create_size_with_another_meaning_is_e2big(results: dict[str, str]) -> None:
    assert results["create_context_huge"] == "-1 E2BIG"


def test_argument_size_beyond_32_bits_is_e2big(results: dict[str, str]) -> None:
    assert results["set_fmt_arg_huge"] == "-1 E2BIG"


# Proves 3.1.2-01, 3.1.3-01, 3.1.4-01, 3.1.5-01, 3.1.6-01, 3.1.7-01, 3.1.8-01, 3.1.9-01
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("descriptor", ["closed", "pipe", "file"])
def test_descriptor_that_is_no_context_is_ebadf(
    results: dict[str, str], descriptor: str, command: str
) -> None:
    assert results[f"{descriptor}_{command}"] == "-1 EBADF"


# Proves 3.1-03
@pytest.mark.parametrize("command", ["negative", "zero", "gap", "large"])
def test_unknown_command_is_einval(results: dict[str, str], command: str) -> None:
    assert results[f"unknown_{command}"] == "-1 EINVAL"


# Proves 3.1.2-03, 3.1.13-04, 3.1.14-04
@pytest.mark.parametrize(
    "call", ["write_negative", "getinfo_negative", "set_fmt_arg_negative"]
)
def test_negative_vector_length_is_einval(results: dict[str, str], call: str) -> None:
    assert results[call] == "-1 EINVAL"


# Proves P4.1-02
def test_library_exports_its_calls_and_nothing_else(programs: Path) -> None:
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", programs / "libperfmon.so.0"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = {line.split()[2].partition("@")[0] for line in symbols.splitlines()}
    assert names - {"PERFMON_0"} == {
        "perfmonctl",
        "pfm_create_context",
        "pfm_write_pmcs",
        "pfm_write_pmds",
        "pfm_read_pmds",
        "pfm_load_context",
        "pfm_start",
        "pfm_stop",
        "pfm_restart",
        "pfm_unload_context",
        "pfm_create_evtsets",
        "pfm_delete_evtsets",
        "pfm_getinfo_evtsets",
        "pfm_map_set",
        "pfm_read_mapped",
        "pfm_unmap_set",
        "pfm_getinfo_pmcs",
        "pfm_getinfo_pmds",
        "pfm_set_config",
        "pfm_get_config",
        "pfm_set_fmt_arg",
    }
