# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the tests of concurrent calls, threads and CPUs on eight CPUs."""

from __future__ import annotations

from collections.abc import Iterator

import boot
import commands
import programs
import pytest

SERIES = "6.12"
PROGRAMS = ("syswide", "races", "stress", "storm")
# This program changes memory during a stack walk only if it has three or more CPUs.
HOSTILE = "nmi_hostile"
TESTS = [
    (name, test) for name in (*PROGRAMS, HOSTILE) for test in programs.names_in(name)
]


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[boot.Boot]:
    # An emulated CPU may crash while the kernel patches its own code. Run keep_events
    # first: it prevents later patching.
    found = {name: name for name in ("keep_events", *PROGRAMS)}
    found["unload"] = commands.rmmod("pfm_pmu_perf")
    nmis = commands.nmi_commands(SERIES)
    found |= {name: nmis[name] for name in ("rig", HOSTILE)}
    options = ["--parallel", "--smp=8", "--timeout=900"]
    out = tmp_path_factory.mktemp("eight")
    booted = boot.Boot(boot.Target("x86_64", SERIES), found, out, options)
    yield booted
    booted.close()


@pytest.mark.parametrize("program, test", TESTS)
def test_passes_on_eight_cpus(guest: boot.Boot, program: str, test: str) -> None:
    boot.check_test(guest, program, test)


def test_kernel_with_eight_cpus_is_content(guest: boot.Boot) -> None:
    guest.check_end()
