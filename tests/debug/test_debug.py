# SPDX-License-Identifier: MIT OR GPL-2.0
"""Repeat the tests on kernels that detect faults, and search for leaks.

The debug kernels (scripts/debug.config, debug-rt.config) have KASAN, UBSAN, lockdep,
kmemleak and fault injection. Each guest runs some programs and unloads the modules; the
kernel searches for leaks before and after they are unloaded. Any error that the kernel
reports is a failure and ends the guest at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import kernels
import pytest
from boot import ROOT, Boot, Boots, Target, check_test
from commands import (
    FORMAT_MODULE,
    FUZZ,
    FUZZ_CALLS,
    SIMULATED_MODULES,
    check_nmis,
    insmod,
    nmi_commands,
    rigged_commands,
    rmmod,
)
from programs import PROGRAMS, PROGRAMS32, SIMULATED, names_in, with_nmis

DEBUG = Target("x86_64", kernels.DEBUG)
DEBUG_RT = Target("x86_64", kernels.DEBUG_RT)
SUITES = ROOT / "tests/kunit"
SUITES_MODULES = ROOT / f"build/kmod/{DEBUG}-kunit"
# Timeouts in seconds for one test and for a guest. They are much longer than needed.
TEST_TIMEOUT = 600
GUEST_TIMEOUT = 7200 + FUZZ_CALLS // 10

# Sleep because kmemleak does not report memory that is younger than five seconds. Scan
# twice, because a single scan may report a false leak.
SCAN = "sleep 6; for scan in 1 2; do echo scan >$leaks; done; cat $leaks"
RESULTS = "cat /sys/kernel/debug/kunit/*/results"
SUITE = re.compile(r"^static struct kunit_suite ", re.MULTILINE)
SUITE_RESULT = re.compile(r"^(not ok|ok) \d+ (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Guest:
    """A guest: the programs that it runs, and all its commands.

    commands: name -> shell command. options: options of scripts/vm/run.
    """

    programs: tuple[str, ...]
    commands: Mapping[str, str]
    options: tuple[str, ...] = ()
    target: Target = DEBUG


def _with_leaks(unload: str) -> dict[str, str]:
    """Return a guest's last commands: search for leaks, unload, and search again."""
    return {"leaks-loaded": SCAN, "unload": unload, "leaks-unloaded": SCAN}


def _with_perf(
    *programs: str, options: tuple[str, ...] = (), target: Target = DEBUG
) -> Guest:
    commands = {name: name for name in programs}
    unload = rmmod("pfm_pmu_perf")
    return Guest(programs, commands | _with_leaks(unload), options, target)


def _with_random_calls() -> Guest:
    return Guest((), {"fuzz": FUZZ} | _with_leaks(rmmod("pfm_pmu_perf")))


def _with_simulation(*programs: str) -> Guest:
    commands = {"load": insmod(*SIMULATED_MODULES, FORMAT_MODULE)}
    commands |= {name: name for name in programs}
    unload = rmmod("pfm_pmu_sim")
    return Guest(programs, commands | _with_leaks(unload), ("--no-modules",))


def _with_nmis(target: Target = DEBUG) -> Guest:
    unload = f"{rmmod('pfm_pmu_perf')} pfm_nmi"
    commands = nmi_commands(target.series) | rigged_commands(target.series)
    commands |= _with_leaks(unload)
    programs = tuple(with_nmis(target.series))
    return Guest(programs, commands, ("--no-modules", "--smp=3"), target)


def _with_suites() -> Guest:
    commands = {"suites": f"{insmod('tests/kunit/perfmon_kunit')} && {RESULTS}"}
    options = ("--no-modules", f"--modules-dir={SUITES_MODULES}")
    return Guest((), commands | _with_leaks("rmmod perfmon_kunit"), options)


NARROW = [name for name in PROGRAMS32 if name in PROGRAMS]
GUESTS = {
    "kunit": _with_suites(),
    "programs": _with_perf(*PROGRAMS, *(f"{name}32" for name in NARROW), "suspend"),
    "simulated": _with_simulation(*SIMULATED),
    "nmi": _with_nmis(),
    "random": _with_random_calls(),
    "nomemory": _with_perf("nomemory", options=("--may-deny-memory",)),
    "preempt_rt": _with_perf(*PROGRAMS, target=DEBUG_RT),
    "preempt_rt_nmi": _with_nmis(DEBUG_RT),
}
CASES = [
    (guest, program, test)
    for guest, content in GUESTS.items()
    for program in content.programs
    for test in names_in(program)
]


SETTINGS = f"export CHECK_TIMEOUT={TEST_TIMEOUT} leaks=/sys/kernel/debug/kmemleak"


@pytest.fixture(scope="session")
def boots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boots[str]]:
    def boot(name: str) -> Boot:
        guest = GUESTS[name]
        # keep_events avoids code patching, during which an emulated CPU may crash.
        commands = {"settings": SETTINGS, "keep_events": "keep_events"}
        commands |= guest.commands
        options = (f"--timeout={GUEST_TIMEOUT}", "--parallel", *guest.options)
        return Boot(guest.target, commands, tmp_path_factory.mktemp(name), options)

    guests = Boots(boot)
    yield guests
    guests.close()


def test_kunit_suites(boots: Boots[str]) -> None:
    sources = (path.read_text() for path in SUITES.glob("*_kunit.c"))
    expected = sum(len(SUITE.findall(source)) for source in sources)
    boot = boots["kunit"]
    assert boot.command("suites") == 0, boot.errors()
    printed = boot.printed("suites")
    failed = [line for line in printed.splitlines() if "not ok" in line]
    assert not failed, printed
    assert len(SUITE_RESULT.findall(printed)) == expected, printed


@pytest.mark.parametrize("guest, program, test", CASES)
def test_guest(guest: str, program: str, test: str, boots: Boots[str]) -> None:
    check_test(boots[guest], program, test)


@pytest.mark.parametrize("guest", ["nmi", "preempt_rt_nmi"])
def test_overflows_are_nmis(guest: str, boots: Boots[str]) -> None:
    check_nmis(boots[guest], GUESTS[guest].target.series)


def test_random_calls_break_nothing(boots: Boots[str]) -> None:
    outcome = boots["random"].outcome("fuzz", "fuzz")
    assert outcome, boots["random"].errors()
    print(outcome.details)
    assert outcome.passed, outcome.details


@pytest.mark.parametrize("guest", GUESTS)
def test_modules_unload(guest: str, boots: Boots[str]) -> None:
    assert boots[guest].command("unload") == 0, boots[guest].errors()


@pytest.mark.parametrize("when", ["loaded", "unloaded"])
@pytest.mark.parametrize("guest", GUESTS)
def test_nothing_leaks(guest: str, when: str, boots: Boots[str]) -> None:
    boot = boots[guest]
    assert boot.command(f"leaks-{when}") == 0, boot.errors()
    assert boot.printed(f"leaks-{when}") == ""


@pytest.mark.parametrize("guest", GUESTS)
def test_kernel_is_content(guest: str, boots: Boots[str]) -> None:
    boot = boots[guest]
    assert boot.status() == 0, boot.errors()
