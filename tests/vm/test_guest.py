# SPDX-License-Identifier: MIT OR GPL-2.0
"""The tests of tests/guest, run in guests: one boot for each kernel.

Each test of a program there is a test here; what the programs print is TAP. Before,
`make modules`, `make user user-arm64` and tests/guest/guest.mk for both architectures
have built what the guests run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import counting
import event_sets
import followed
import frequencies
import going_on
import grouped
import pytest
import triggered
from boot import (
    ROOT,
    SOURCES,
    Boot,
    Boots,
    Target,
    check_test,
    names_of,
    without_narrow,
)
from kernels import SUPPORTED

# In the order in which they run; fmt, pmu, main and stress unload and load the modules,
# and oprofile has its own one loaded.
PROGRAMS = (
    *("dev", "vector", "regs", "load", "restart", "value", "overflow", "ctxfile"),
    *("attach", "buffer", "charge", "evtset", "evtset_page", "evtset_switch", "idle"),
    *("default", "nway", "callers", "histogram", "callstack", "flight"),
    *("pebs", "syswide", "cpu", "config", "sysfs", "compat2x", "compat22", "block"),
    *("block_stops", "perm", "levels", "races", "pmu_perf", "pmc_config"),
    *("fmt", "pmu", "main"),
    *("oprofile", "member", "refused", "stress", "storm"),
)
# The kernels on which all of them run. On the others neither what takes long runs, nor
# 32-bit programs, NMIs and random calls: see docs/testing.md.
THOROUGH = ("6.12", "7.3")
LONG = ("races", "stress", "storm")
# On arm64, with two CPUs: see test_live_counters.
LIVE = ("live_counters",)
# The 32-bit programs, of the same sources.
PROGRAMS32 = (
    *("dev", "vector", "regs", "load", "restart", "value", "overflow", "ctxfile"),
    *("attach", "buffer", "charge", "evtset", "evtset_page", "evtset_switch", "idle"),
    *("default", "nway", "callers", "histogram", "callstack", "flight"),
    *("pebs", "syswide", "config", "compat2x", "compat22", "block", "oprofile"),
    *("simpmu", "simpebs"),
)
# Linked to a library of perfmon 2.x that does not work any more: what each is run
# with in LD_PRELOAD. On x86_64.
PRELOADED = {
    "dynamic2x": "libpfm2x.so.0",
    "dynamic2x32": "libpfm2x32.so.0",
    "dynamic22": "libpfm22.so.0",
    "dynamic2232": "libpfm2232.so.0",
}
PRELOAD_DIR = "/perfmon/lib"
# Below tests/guest: a program of each file there. Those of compat/ are named below.
FOLDERS = ("interface", "formats", "stress", "nmi")
# Programs of other sources than their name says.
SOURCES_OF = {
    "compat2x": ("compat2x", "create2x"),
    "compat22": ("compat2x", "create22"),
    "dynamic2x": ("compat2x", "create2x"),
    "dynamic22": ("compat2x", "create22"),
}
FORMATS = (
    *("default", "nway", "pebs32", "pebs64"),
    *("histogram", "callstack", "flight"),
)
FORMAT_MODULE = "formats/default/pfm_fmt_default"
# A PMU of perf's with two more words of configuration, for which CPU 0 counts.
LEAP_MODULE = "tests/guest/perf_leap/pfm_perf_leap"
# Run with the simulated PMU, after all others.
SIMULATED = ("simpmu", "simpebs")
SIMULATED_MODULES = ("core/perfmon", "pmu/sim/pfm_pmu_sim")
# Run on x86_64 with a PMU of perf's whose overflows are NMIs, after all others: these,
# and some again whose page faults are NMIs then.
NMI = ("nmi", "nmi_callers", "nmi_pebs", "nmi_oprofile", "nmi_fire", "nmi_life")
RIGGED = (
    *("overflow", "restart", "evtset", "evtset_switch", "ctxfile", "regs", "buffer"),
    *("idle", "default", "nway", "block", "stress", "storm"),
)
RIG_PREFIX = "rig-"
NMI_PROGRAMS = (*NMI, *(f"{RIG_PREFIX}{name}" for name in RIGGED))
NMI_MODULES = (
    "tests/guest/pmu_nmi/pfm_nmi",
    "core/perfmon",
    "pmu/perf/pfm_pmu_perf",
    *(f"formats/{name}/pfm_fmt_{name}" for name in FORMATS),
    "formats/oprofile_bridge/pfm_fmt_oprofile",
)
RIG = "/sys/kernel/debug/pfm_nmi"
# NMIs of nmi_fire, by the kernel; it is a matter of seconds unless the host is busy.
NMIS = {"6.12": 1_000_000}
FEWER_NMIS = 100_000
# Seconds until one of their tests counts as hung.
NMI_TIMEOUT = 600
# For the debug kernel only: see tests/debug.
DEBUG_ONLY = ("nomemory", "suspend")
# Random calls: how many, and what they follow from.
FUZZ_CALLS = int(os.environ.get("FUZZ_CALLS", "1500"), 0)
FUZZ_SEED = int(os.environ.get("FUZZ_SEED", "1"), 0)
FUZZ = f"fuzz --seed {FUZZ_SEED} --calls {FUZZ_CALLS}"
# Seconds until a guest counts as hung; minutes do where nothing else runs.
TIMEOUT = 1800 + FUZZ_CALLS // 10
# Loaded with parameters: see there.
ODD_MODULE = "tests/guest/fmt_odd/pfm_fmt_odd"
# A format that pfmon knows only from sysfs, named so that it is loaded on demand, and
# arguments that pfmon or the format refuses.
COUNT = "ab3b0f7e-5f0c-4d6f-9d4a-5b9d8e0c4a11"
REFUSED = {
    "depth=3": "the sampling format count has no field 'depth'; it has num_events",
    "num_events=2k": "k, M and G are for bytes, and this is a number of events",
    "num_events=4294967296": "the field has 4 bytes, and holds at most 4294967295",
    "num_events=2000": "format count refuses its argument, num_events=2000; what is",
    "02000000": "format count takes 8 bytes as its argument, and --smpl-arg has 4",
}
# Run with perf again, and last: the kernel takes no modules after it.
LOCKED = ("lockdown",)
LOCKED_MODULES = (
    "core/perfmon",
    "pmu/perf/pfm_pmu_perf",
    "formats/pebs64/pfm_fmt_pebs64",
)

# What retire retires, two instructions a round, and how it is sampled.
ROUNDS = 25_000_000
INSTRUCTIONS = 2 * ROUNDS
PERIOD = 100_000
# With one instruction in 2 ns, a cycle is a nanosecond.
CYCLES = 2 * INSTRUCTIONS
# Of the PMU that arm64 has, for events that are given to it one by one.
COUNTERS = 7


@dataclass(frozen=True)
class Case:
    """One test of one program on one kernel."""

    target: Target
    program: str
    test: str

    def __str__(self) -> str:
        return f"{self.target}-{self.program}-{self.test}"


TARGETS = [Target(arch, series) for arch in SUPPORTED for series in SUPPORTED[arch]]
ARM64 = [target for target in TARGETS if target.arch == "arm64"]
X86_64 = [target for target in TARGETS if target.arch == "x86_64"]
ALL_OF_IT = [target for target in TARGETS if target.series in THOROUGH]
# Where pfmon follows what a command makes.
FOLLOWED = Target("x86_64", "6.12")
# Where pfmon measures between two places of a program.
TRIGGERED = [FOLLOWED, *ARM64]
# Where control groups are told apart.
GROUPED = Target("x86_64", "6.12")
WITH_NMIS = [target for target in ALL_OF_IT if target.arch == "x86_64"]


def usual(target: Target) -> list[str]:
    """Return those of PROGRAMS that run on a target."""
    long = () if target in ALL_OF_IT else LONG
    return [name for name in PROGRAMS if name not in long]


def _with_narrow(target: Target, names: Iterable[str]) -> list[str]:
    """Return the names of programs, and of what is there as a 32-bit program, too."""
    names = list(names)
    narrow = [name for name in names if name in PROGRAMS32]
    if target.arch != "x86_64" or target not in ALL_OF_IT:
        narrow = []
    return [*names, *(f"{name}32" for name in narrow)]


def _programs(target: Target) -> list[str]:
    """Return the names of the programs that run on a target."""
    programs = _with_narrow(target, (*usual(target), *SIMULATED, *LOCKED))
    if target.arch == "x86_64":
        programs += PRELOADED
    if target in WITH_NMIS:
        programs += NMI_PROGRAMS
    return programs


def names_in(program: str) -> list[str]:
    """Return the names of a program's tests."""
    name = program.removesuffix("32").removeprefix(RIG_PREFIX)
    return [test for part in SOURCES_OF.get(name, (name,)) for test in names_of(part)]


def _cases() -> Iterator[Case]:
    for target in TARGETS:
        for program in _programs(target):
            for test in names_in(program):
                yield Case(target, program, test)


def insmod(*modules: str) -> str:
    """Return the command that loads our modules."""
    extra = "/lib/modules/$(uname -r)/extra"
    return " && ".join(f"insmod {extra}/{module}.ko" for module in modules)


def rmmod(pmu: str) -> str:
    """Return the command that unloads all modules, among them this PMU's."""
    return f"rmmod $(cut -d' ' -f1 /proc/modules | grep ^pfm_fmt_) {pmu} perfmon"


def _odd(parameter: str) -> str:
    """Return the command that samples once with a format that is told what to do."""
    sample = "pfmon -e page-faults --long-smpl-periods=1 --smpl-module=odd"
    command = f"{insmod(ODD_MODULE)} {parameter}; {sample} -o /out/odd.cap true 2>&1"
    return f"{command}; rmmod pfm_fmt_odd"


def _named() -> str:
    """Return the command that samples with arguments by name, right and wrong."""
    sample = f"pfmon -e page-faults --long-smpl-periods=1 --smpl-module={COUNT}"
    lines = [f"{sample} --smpl-arg=num_events=3 -o /out/named.cap true"]
    lines += [f"! {sample} --smpl-arg={arg} -o /out/no.cap true" for arg in REFUSED]
    lines += [f"{sample} -o /out/unnamed.cap true", "pfmon --list-formats"]
    lines += ["test ! -e /out/no.cap", "rmmod pfm_fmt_count"]
    return f"({' && '.join(lines)}) 2>&1"


def _events() -> str:
    """Return the command that measures events as sysfs and tracefs name them."""
    extra = "/lib/modules/$(uname -r)/extra"
    leap = "/sys/bus/event_source/devices/pfm_leap"
    words = "/sys/module/pfm_perf_leap/parameters/config"
    sleeps = "sh -c 'for i in 1 2 3 4 5; do sleep 0.1; done'"
    event = "pfm_leap/leaps,first=30,second=7/"
    everywhere = "pfmon --system-wide"
    sample = f"{everywhere} -e cpu-clock,{event} --long-smpl-periods=1000000"
    lines = [
        f"pfmon -e sched:sched_switch,context-switches:uk -o /out/switches {sleeps}",
        f"{{ test -e {leap} || insmod {extra}/{LEAP_MODULE}.ko; }}",
        f"{everywhere} --with-header -e cpu-clock,{event} -o /out/leaps true",
        f"cat {words} {words}1 {words}2",
        f"{sample} -o /out/leaps.cap true",
        f"! pfmon -e {event} true",
        f"! {everywhere} -e {event} --long-smpl-periods=10 -o /out/no.cap true",
        "! pfmon -e sched:nothing true",
        "rmmod pfm_perf_leap",
    ]
    return f"({' && '.join(lines)}) 2>&1"


def _asked() -> str:
    """Return the command that asks what can be measured, and measures nothing."""
    check = "pfmon --check-events-only"
    leak = "-e page-faults,cpu-clock touch /tmp/asked"
    lines = [
        "pfmon --list-events='^(cpu-clock|alignment-faults|node-stores)$'",
        "pfmon --event-info=page-faults,sched:sched_switch",
        f"{check} {leak}",
        f"! {check} -e page-faults,node-stores",
        f"pfmon --dry-run --long-smpl-periods=1000 --smpl-entries=16 {leak}",
        f"! pfmon --dry-run --long-smpl-periods=9 -e node-stores {leak}",
        "test ! -e /tmp/asked",
    ]
    return f"({' && '.join(lines)}) 2>&1"


def nmis(series: str) -> int:
    """Return how many NMIs nmi_fire makes on a kernel."""
    return int(os.environ.get("NMIS", NMIS.get(series, FEWER_NMIS)))


def nmi_commands(series: str) -> dict[str, str]:
    """Return what runs where the modules with the PMU of NMIs are not yet loaded."""
    # Users that are not root are to receive some, too.
    commands = {"rig": f"{insmod(*NMI_MODULES)} && chmod 222 {RIG}/fire"}
    patient = f"CHECK_TIMEOUT={NMI_TIMEOUT} NMIS={nmis(series)}"
    commands |= {name: f"{patient} {name}" for name in NMI}
    # A test that was killed has left NMIs coming.
    calm = f"echo 0 >{RIG}/rate; PFM_NMI=1"
    commands |= {f"{RIG_PREFIX}{name}": f"{calm} {name}" for name in RIGGED}
    commands["nmis"] = f"cat {RIG}/stats"
    return commands


def check_nmis(boot: Boot, series: str) -> None:
    """Let the test fail unless all NMIs have come."""
    assert boot.command("nmis") == 0, boot.errors()
    print(boot.printed("nmis"))
    counts = dict(line.split(": ") for line in boot.printed("nmis").splitlines())
    assert int(counts["received"]) >= nmis(series)
    assert counts["received"] == counts["sent"]


def _pfmon(target: Target) -> dict[str, str]:
    """Return what pfmon is tried with on each kernel: name -> shell command."""
    return {
        "going_on": going_on.command(),
        "counting": counting.command(with_perf(target)),
        "asked": _asked(),
        "sets": event_sets.command(target.arch),
        "often": frequencies.command(target.arch),
    }


def _commands(target: Target) -> dict[str, str]:
    """Return what runs in a guest: name -> shell command."""
    # What emulated CPUs do not survive well: see keep_events.c.
    commands = {"keep_events": "keep_events"}
    if target == FOLLOWED:
        commands["follow"] = followed.script()
    if target in TRIGGERED:
        commands["triggers"] = triggered.script()
    if target == GROUPED:
        commands["group"] = grouped.command()
    commands |= {name: name for name in _with_narrow(target, usual(target))}
    commands["named"] = _named()
    commands["events"] = _events()
    commands |= _pfmon(target)
    if target.arch == "x86_64":
        for name, library in _preloaded().items():
            commands[name] = f"LD_PRELOAD={PRELOAD_DIR}/{library} {name}"
        cpu = "/sys/devices/system/cpu/cpu1/online"
        toggle = f"echo 0 >{cpu} && echo 1 >{cpu}"
        measure = "pfmon --system-wide -e cpu-clock"
        commands["offline"] = f"{measure} sh -c '{toggle}' 2>&1"
        commands["odd"] = f"{_odd('ret=-5')}; {_odd('ctrl=0')}; {_odd('ctrl=16')}"
    if target in ARM64:
        sample = f"pfmon -e cycles --long-smpl-periods={PERIOD} --smpl-entries=256"
        sample += f" --short-smpl-periods={PERIOD} -o /out/retire.cap"
        commands["count"] = f"pfmon -e instructions -o /out/count retire {ROUNDS}"
        same = "instructions,inst_retired,armv8_pmuv3/event=8/"
        commands["same"] = f"pfmon -e {same} -o /out/same retire {ROUNDS}"
        commands["sample"] = f"{sample} retire {ROUNDS}"
        turns = "pfmon --switch-timeout=4 -e instructions -e cycles -o /out/turns"
        commands["turns"] = f"{turns} retire {ROUNDS}"
        many = ",".join(["cycles"] * (COUNTERS + 1))
        commands["together"] = f"! pfmon --check-events-only -e {many} 2>&1"
        commands["denied"] = f"pfmon -e {many} -o /out/denied retire {ROUNDS}"
    if target in ALL_OF_IT:
        commands["fuzz"] = FUZZ
    commands["unload"] = rmmod("pfm_pmu_perf")
    commands["simulate"] = insmod(*SIMULATED_MODULES, FORMAT_MODULE)
    commands |= {name: name for name in _with_narrow(target, SIMULATED)}
    commands["unsimulate"] = rmmod("pfm_pmu_sim")
    if target in WITH_NMIS:
        commands |= nmi_commands(target.series)
        commands["unrig"] = f"{rmmod('pfm_pmu_perf')} pfm_nmi"
    commands["lock"] = insmod(*LOCKED_MODULES)
    commands |= {name: name for name in LOCKED}
    if without_narrow():
        commands = {name: run for name, run in commands.items() if not _narrow(name)}
    return commands


def _narrow(name: str) -> bool:
    """Tell whether a program, or a library, is the 32-bit one."""
    return name.partition(".")[0].endswith("32")


def _preloaded() -> dict[str, str]:
    """Return what of PRELOADED can be built."""
    if without_narrow():
        return {name: lib for name, lib in PRELOADED.items() if not _narrow(name)}
    return PRELOADED


def _preloads(target: Target) -> Iterator[str]:
    """Yield the options of the harness that put what is preloaded into a guest."""
    if target.arch != "x86_64":
        return
    for library in _preloaded().values():
        arch = "i386" if _narrow(library) else "x86_64"
        built = ROOT / "build" / arch / library.replace("32.", ".")
        yield f"--add={built}:{PRELOAD_DIR}/{library}"


# Where perf's counts are compared with pfmon's.
BESIDE_PERF = Target("x86_64", "6.12")


def with_perf(target: Target) -> bool:
    """Tell whether perf (of linux-perf) is in a guest."""
    return bool(counting.PERF) and target == BESIDE_PERF


def _perf(target: Target) -> tuple[str, ...]:
    """Return the harness's options for it."""
    return (f"--program={counting.PERF}",) if with_perf(target) else ()


@pytest.fixture(scope="session")
def boots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boots[Target]]:
    def boot(target: Target) -> Boot:
        options = (f"--timeout={TIMEOUT}", *_preloads(target), *_perf(target))
        out = tmp_path_factory.mktemp(str(target))
        return Boot(target, _commands(target), out, options)

    guests = Boots(boot)
    yield guests
    guests.close()


def test_every_program_is_run() -> None:
    sources = (SOURCES.glob(f"{folder}/*.c") for folder in FOLDERS)
    programs = {path.stem for paths in sources for path in paths}
    run = {*PROGRAMS, *LIVE, *SIMULATED, *NMI, *LOCKED, *DEBUG_ONLY}
    assert programs == run - {*SOURCES_OF}


# Proves P4.1-17, H25
@pytest.mark.parametrize("case", list(_cases()), ids=str)
def test_guest(case: Case, boots: Boots[Target]) -> None:
    reason = without_narrow()
    if reason and _narrow(case.program):
        pytest.skip(reason)
    check_test(boots[case.target], case.program, case.test)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_kernel_is_content(target: Target, boots: Boots[Target]) -> None:
    boot = boots[target]
    assert boot.status() == 0, boot.errors()
    assert boot.command("keep_events") == 0


# Proves P4.4-03
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_modules_unload_after_everything(target: Target, boots: Boots[Target]) -> None:
    boot = boots[target]
    assert (boot.command("unload"), boot.command("simulate")) == (0, 0)
    if target in WITH_NMIS:
        assert (boot.command("rig"), boot.command("unrig")) == (0, 0)


@pytest.mark.parametrize("target", WITH_NMIS, ids=str)
def test_overflows_are_nmis(target: Target, boots: Boots[Target]) -> None:
    check_nmis(boots[target], target.series)


# Proves H13
@pytest.mark.parametrize("target", ALL_OF_IT, ids=str)
def test_random_calls_break_nothing(target: Target, boots: Boots[Target]) -> None:
    outcome = boots[target].outcome("fuzz", "fuzz")
    assert outcome, boots[target].errors()
    print(outcome.details)
    assert outcome.passed, outcome.details


def _dump(capture: Path) -> list[dict[str, int]]:
    """Return the samples of a capture."""
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", "dump", "--json", capture],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        stdout=subprocess.PIPE,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_hardware_counts_are_exact(target: Target, boots: Boots[Target]) -> None:
    boot = boots[target]
    assert boot.command("count") == 0
    count = int((boot.out / "count").read_text().split()[0])
    assert count == pytest.approx(INSTRUCTIONS, rel=0.01)


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_counts_of_event_sets_are_scaled_to_the_whole(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("turns") == 0
    lines = (boot.out / "turns").read_text().splitlines()
    estimates = [int(line.split()[0]) for line in lines]
    assert estimates == pytest.approx([INSTRUCTIONS, CYCLES], rel=0.05)
    assert ["of the time" in line for line in lines] == [True, True]


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_an_event_counts_the_same_however_it_is_written(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("same") == 0
    lines = (boot.out / "same").read_text().splitlines()
    counts = [int(line.split()[0]) for line in lines]
    assert counts == [pytest.approx(INSTRUCTIONS, rel=0.05)] * 3
    assert len(set(counts)) == 1


@pytest.mark.parametrize("target", [FOLLOWED], ids=str)
@pytest.mark.parametrize("check", followed.cases())
def test_pfmon_follows(target: Target, check: str, boots: Boots[Target]) -> None:
    followed.cases()[check](boots[target])


@pytest.mark.parametrize(
    ("target", "check"),
    [(target, check) for target in TRIGGERED for check in triggered.cases(target.arch)],
    ids=str,
)
def test_pfmon_measures_between_two_places(
    target: Target, check: str, boots: Boots[Target]
) -> None:
    triggered.cases(target.arch)[check](boots[target])


@pytest.mark.parametrize("target", [GROUPED], ids=str)
def test_samples_of_a_control_group_are_shown(
    target: Target, boots: Boots[Target]
) -> None:
    grouped.check(boots[target])


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_event_without_a_counter_is_said_not_to_be_counted(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("denied") == 0
    lines = (boot.out / "denied").read_text().splitlines()
    counts = [int(line.split()[0]) for line in lines[:COUNTERS]]
    assert counts == [pytest.approx(CYCLES, rel=0.05)] * COUNTERS
    assert [line.split() for line in lines[COUNTERS:]] == [
        ["<not", "counted>", "cycles"]
    ]


@pytest.mark.parametrize("target", X86_64, ids=str)
def test_cpu_that_goes_offline_is_said_to_be_measured_until_then(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("offline") == 0
    printed = boot.printed("offline")
    assert "CPU 1 went offline and was measured until then only" in printed
    assert re.search(r"^CPU1 +\d+ cpu-clock +#", printed, re.MULTILINE)


@pytest.mark.parametrize("target", X86_64, ids=str)
def test_a_handler_that_answers_oddly_is_told_of(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("odd") == 0
    printed = boot.printed("odd")
    told = re.findall(r"calls of the format's handler that (.*)", printed)
    patterns = (
        r"failed: \d+, the last with: Input/output error",
        r"set no control bit, so that the counter was not reset: \d+",
        r"set unknown control bits: \d+",
    )
    assert len(told) == len(patterns)
    for line, pattern in zip(told, patterns):
        assert re.fullmatch(pattern, line)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_a_format_that_pfmon_does_not_know_takes_arguments_by_name(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("named") == 0, boot.printed("named")
    printed = boot.printed("named")
    for complaint in REFUSED.values():
        assert complaint in printed
    assert f"{COUNT} count (argument: 8 bytes)\n\tnum_events=16 (events, " in printed
    for name, events in (("named", 3), ("unnamed", 16)):
        session = (boot.out / f"{name}.cap").read_bytes()
        assert re.search(rb'"arg": ?"%02x00000000000000"' % events, session)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_measuring_begins_and_ends_while_the_command_goes_on(
    target: Target, boots: Boots[Target]
) -> None:
    going_on.check_times(boots[target])


@pytest.mark.parametrize("name", ["divided", "all"])
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_snapshots_have_every_sample_once(
    target: Target, boots: Boots[Target], name: str
) -> None:
    going_on.check_snapshots(boots[target], name)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_counts_are_printed_as_asked_for(target: Target, boots: Boots[Target]) -> None:
    counting.check_forms(boots[target])


@pytest.mark.parametrize("target", [BESIDE_PERF], ids=str)
def test_counts_are_those_of_perf_stat(target: Target, boots: Boots[Target]) -> None:
    if not with_perf(target):
        pytest.skip("perf (of linux-perf) is not there")
    counting.check_against_perf(boots[target])


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_a_tracepoint_counts_what_perf_counts_there(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("events") == 0, boot.printed("events")
    lines = (boot.out / "switches").read_text().splitlines()
    counts = {name: int(count) for count, name in map(str.split, lines)}
    # It waits for each of them.
    assert counts["sched:sched_switch"] >= 5
    assert counts["sched:sched_switch"] == counts["context-switches:uk"]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_an_event_of_sysfs_is_programmed_where_it_is_counted(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("events") == 0, boot.printed("events")
    printed = boot.printed("events")
    # config, config1 and config2 as perf got them.
    assert "\n".join(map(str, (0x12, 30, 7 << 8))) in printed
    for complaint in (
        "is counted for CPUs (0), not for threads: use --system-wide",
        "is counted for CPUs (0), and cannot be sampled",
        "there is no tracepoint nothing in sched; there are: ",
    ):
        assert complaint in printed
    text = (boot.out / "leaps").read_text()
    for number, value in ((65, 30), (129, 7 << 8)):
        assert f"# set 0, PMC{number}: {value:#018x} pfm_leap/leaps," in text
    lines = [line.partition(" # ")[0].split() for line in text.splitlines()]
    lines = [words for words in lines if words[0].startswith("CPU")]
    names = {name for *_, name in lines}
    cpus = {name: [cpu for cpu, _, event in lines if event == name] for name in names}
    assert cpus.pop("pfm_leap/leaps,first=30,second=7/") == ["CPU0"]
    assert cpus.pop("cpu-clock")[0] == "CPU0"
    session = (boot.out / "leaps.cap").read_bytes()
    for number, value in ((65, 30), (129, 7 << 8)):
        assert re.search(rb'"num": ?%d, ?"value": ?%d,' % (number, value), session)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_pfmon_says_what_could_be_measured(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    printed = boot.printed("asked")
    assert boot.command("asked") == 0, printed
    lines = printed.splitlines()
    assert [line.split() for line in lines[:3]] == [
        *(["cpu-clock", "+"], ["alignment-faults", "+"], ["node-stores"]),
    ]
    assert printed.count("Here:      counted") == 2
    assert "\tpid_t next_pid" in lines
    assert lines.count("page-faults: yes") == 2
    assert "node-stores: no: this machine does not have it" in printed
    assert re.search(r"^Kernel:   takes this; .* has [1-9]\d* bytes", printed, re.M)
    assert "event node-stores: PMC0 refuses its value" in printed


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_events_that_are_too_many_together_are_told_of(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("together") == 0
    printed = boot.printed("together")
    assert printed.splitlines().count("cycles: yes") == COUNTERS + 1
    assert "the PMU has not enough free counters for these events" in printed


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize(
    "check", [event_sets.check_overflows, event_sets.check_turns, event_sets.check_idle]
)
def test_event_sets_take_turns_and_leave_out_what_is_idle(
    target: Target, check: Callable[[Path], None], boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("sets") == 0, boot.printed("sets")
    check(boot.out)


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_hardware_counters_sample_all_they_count_in_sets_that_take_turns(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("sets") == 0, boot.printed("sets")
    event_sets.check_hardware(boot.out)


@pytest.mark.parametrize("target", X86_64, ids=str)
def test_events_are_measured_on_their_own_cpus(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("sets") == 0, boot.printed("sets")
    event_sets.check_cpus(boot.out, boot.printed("sets"))


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_periods_are_adapted_to_what_the_kernel_counts(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("often") == 0, boot.printed("often")
    frequencies.check_faults(boot.out)


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_hardware_samples_come_so_often_a_second(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("often") == 0, boot.printed("often")
    frequencies.check_cycles(boot.out)


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_hardware_samples_are_as_many_as_periods(
    target: Target, boots: Boots[Target]
) -> None:
    boot = boots[target]
    assert boot.command("sample") == 0
    samples = _dump(boot.out / "retire.cap")
    assert len(samples) == pytest.approx(CYCLES / PERIOD, rel=0.02)
    assert {sample["last_reset_val"] for sample in samples} == {2**64 - PERIOD}
