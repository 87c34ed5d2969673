# SPDX-License-Identifier: MIT OR GPL-2.0
"""The shell commands that each guest runs, and the options of the harness."""

from __future__ import annotations

import os
from collections.abc import Iterator

import adverse
import call_graphs
import control_groups
import costs
import counting
import event_sets
import following
import kernels
import killed
import live_sessions
import many_threads
import off_cpu
import sampling_rates
import short_processes
import triggers
import users
from boot import ROOT, Boot, without_narrow
from programs import (
    ALL,
    ARM64,
    FORMATS,
    LOCKED,
    NMI,
    PRELOADED,
    RIG_PREFIX,
    SIMULATED,
    THOROUGH,
    WITH_NMIS,
    Guest,
    native,
    repeats_nmis,
    rigged,
    with_narrow,
)

PRELOAD_DIR = "/perfmon/lib"
FORMAT_MODULE = "formats/default/pfm_fmt_default"
# A perf PMU whose events use config1 and config2, and are counted by CPU 0.
LEAP_MODULE = "tests/guest/perf_leap/pfm_perf_leap"
# Modules for tests that use the simulated PMU instead of pfm_pmu_perf.
SIMULATED_MODULES = ("core/perfmon", "pmu/sim/pfm_pmu_sim")
NMI_MODULES = (
    "tests/guest/pmu_nmi/pfm_nmi",
    "core/perfmon",
    "pmu/perf/pfm_pmu_perf",
    "unwind/pfm_unwind",
    *FORMATS.values(),
)
RIG = "/sys/kernel/debug/pfm_nmi"
# NMIS: the number of NMIs that nmi_fire causes, for kernels on which it is not
# FEWER_NMIS. WALKS: the number of stack walks in each test of nmi_hostile, for kernels
# on which it is not FEWER_WALKS. NMI_ROUNDS: the number of rounds of nmi_life,
# nmi_unwind and nmi_replaced.
NMIS = {"6.12": 1_000_000} if ALL else {}
FEWER_NMIS = 100_000
WALKS = {kernels.DEBUG: 500_000} if ALL else {}
FEWER_WALKS = 10_000
NMI_ROUNDS = 50 if ALL else 10
# These numbers are divided by PART on a kernel that only repeats another one's tests.
PART = 5
# Timeout of a test with NMIs, in seconds.
NMI_TIMEOUT = 2400
# Number and seed of the random calls.
FUZZ_CALLS = int(os.environ.get("FUZZ_CALLS", "1500"), 0)
FUZZ_SEED = int(os.environ.get("FUZZ_SEED", "1"), 0)
FUZZ = f"fuzz --seed {FUZZ_SEED} --calls {FUZZ_CALLS}"
# Timeout of a guest in seconds. On an idle machine the longest takes ten minutes.
TIMEOUT = 2700 + FUZZ_CALLS // 10
# A deliberately faulty format; module parameters select its faults.
ODD_MODULE = "tests/guest/fmt_odd/pfm_fmt_odd"
# The UUID of a format that pfmon knows only from sysfs. The kernel loads the format's
# module on demand, because the module's alias contains the UUID. REFUSED has, for each
# argument that pfmon or the format refuses, pfmon's message.
COUNT = "ab3b0f7e-5f0c-4d6f-9d4a-5b9d8e0c4a11"
REFUSED = {
    "depth=3": "the sampling format count has no field 'depth'; it has num_events",
    "num_events=2k": "k, M and G are for bytes, but this is a number of events",
    "num_events=4294967296": "the field has 4 bytes, and holds at most 4294967295",
    "num_events=2000": "format count rejects its argument, num_events=2000; if",
    "02000000": "format count takes 8 bytes as its argument, but --smpl-arg has 4",
}
LOCKED_MODULES = (
    "core/perfmon",
    "pmu/perf/pfm_pmu_perf",
    "formats/pebs64/pfm_fmt_pebs64",
)

# retire executes two instructions per round. PERIOD is in cycles.
ROUNDS = 25_000_000
INSTRUCTIONS = 2 * ROUNDS
PERIOD = 100_000
# An instruction takes 2 ns, and a cycle 1 ns.
CYCLES = 2 * INSTRUCTIONS
# The number of counters of the arm64 PMU that can count any event.
COUNTERS = 7

# The guest in which pfmon follows the children of commands.
FOLLOWED = Guest("x86_64", "6.12", parallel=True)
# Guests in which pfmon measures between two locations in a program.
TRIGGERED = [Guest("x86_64", "6.12"), *ARM64]
# The guest in which pfmon samples a control group, records call graphs, measures many
# threads, lists all events, and is killed.
GROUPED = Guest("x86_64", "6.12")
# The guest in which the cost of samples is measured.
MEASURED = Guest("arm64", "6.1")
# The guests in which pfmon samples time off CPU, and processes that end before it reads
# the samples. One guest has one CPU. In the other, threads move between two CPUs.
CROWDED = [GROUPED, FOLLOWED]
# This guest keeps perf's usual limits on samples until the programs of RIGGED begin.
# The other guests lift the limits at boot, because their tests need every sample.
PROTECTED = Guest("x86_64", "7.3", parallel=True)
# The order matters: while perf_cpu_time_max_percent is 0, the kernel refuses to set
# perf_event_max_sample_rate.
LIMITS = {"perf_cpu_time_max_percent": 25, "perf_event_max_sample_rate": 100_000}
NO_LIMITS = {"perf_event_max_sample_rate": 10**9, "perf_cpu_time_max_percent": 0}
# Guests with random calls.
RANDOM = [guest for guest in (*ARM64, *WITH_NMIS) if guest.series in THOROUGH]


def insmod(*modules: str) -> str:
    """Return the command that loads the project's modules."""
    extra = "/lib/modules/$(uname -r)/extra"
    return " && ".join(f"insmod {extra}/{module}.ko" for module in modules)


def rmmod(pmu: str) -> str:
    """Return the command that unloads all modules, including this PMU's module."""
    names = "cut -d' ' -f1 /proc/modules | grep '^pfm_fmt_\\|^pfm_unwind'"
    return f"rmmod $({names}) {pmu} perfmon"


def _odd(parameter: str) -> str:
    """Return the command that samples once with a misbehaving format."""
    sample = "pfmon -e page-faults --long-smpl-periods=1 --smpl-module=odd"
    command = f"{insmod(ODD_MODULE)} {parameter}; {sample} -o /out/odd.cap true 2>&1"
    return f"{command}; rmmod pfm_fmt_odd"


def _named() -> str:
    """Return the command that samples with valid and invalid named arguments."""
    sample = f"pfmon -e page-faults --long-smpl-periods=1 --smpl-module={COUNT}"
    lines = [f"{sample} --smpl-arg=num_events=3 -o /out/named.cap true"]
    lines += [f"! {sample} --smpl-arg={arg} -o /out/no.cap true" for arg in REFUSED]
    lines += [f"{sample} -o /out/unnamed.cap true", "pfmon --list-formats"]
    lines += ["test ! -e /out/no.cap", "rmmod pfm_fmt_count"]
    return f"({' && '.join(lines)}) 2>&1"


def _events() -> str:
    """Return the command that measures events named by sysfs and tracefs."""
    extra = "/lib/modules/$(uname -r)/extra"
    leap = "/sys/bus/event_source/devices/pfm_leap"
    words = "/sys/module/pfm_perf_leap/parameters/config"
    # Sleep because this causes context switches.
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
    """Return the command that lists and checks events without measuring."""
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


def _listed() -> str:
    """Return the command that counts how often --list-events opens a tracepoint."""
    probes = "/sys/kernel/tracing/kprobe_events"
    lines = [
        f"echo 'p:tries perf_tp_event_init' >>{probes}",
        "pfmon -e kprobes:tries -o /out/tries pfmon --list-events >/out/listed",
        f"echo >{probes}",
    ]
    return f"({' && '.join(lines)}) 2>&1"


def nmis(series: str) -> int:
    """Return the number of NMIs that nmi_fire causes on a kernel."""
    return _amount("NMIS", NMIS.get(series, FEWER_NMIS), series)


def _amount(name: str, usual: int, series: str) -> int:
    """Return the amount of work on a kernel; an environment variable overrides it."""
    part = PART if repeats_nmis(series) else 1
    return int(os.environ.get(name, usual // part))


def nmi_commands(series: str) -> dict[str, str]:
    """Return the commands that load the NMI PMU and run the programs that NMI lists."""
    # Unprivileged users must be able to request NMIs, too.
    commands = {"rig": f"{insmod(*NMI_MODULES)} && chmod 222 {RIG}/fire"}
    rounds = _amount("NMI_ROUNDS", NMI_ROUNDS, series)
    walks = _amount("WALKS", WALKS.get(series, FEWER_WALKS), series)
    patient = f"CHECK_TIMEOUT={NMI_TIMEOUT} NMIS={nmis(series)} NMI_ROUNDS={rounds}"
    patient += f" WALKS={walks}"
    return commands | {name: f"{patient} {name}" for name in NMI}


def rigged_commands(series: str) -> dict[str, str]:
    """Return the commands that run the programs of RIGGED with the NMI PMU loaded."""
    commands = {f"{RIG_PREFIX}{name}": f"PFM_NMI=1 {name}" for name in rigged(series)}
    return commands | {"nmis": f"cat {RIG}/stats"}


def check_nmis(boot: Boot, series: str) -> None:
    """Fail the test unless all NMIs were received."""
    assert boot.command("nmis") == 0, boot.errors()
    print(boot.printed("nmis"))
    counts = dict(line.split(": ") for line in boot.printed("nmis").splitlines())
    assert int(counts["received"]) >= nmis(series)
    assert counts["received"] == counts["sent"]


def _limit(limits: dict[str, int]) -> str:
    """Return the command that sets perf's limits."""
    return " && ".join(f"echo {n} >/proc/sys/kernel/{k}" for k, n in limits.items())


def _unprotect() -> str:
    """Return the command that prints and then lifts perf's limits.

    The programs that follow need every overflow. They have already run with page
    faults, which perf does not throttle. Now they run with NMIs, which perf would
    throttle.
    """
    return f"(cd /proc/sys/kernel && cat {' '.join(LIMITS)}) && {_limit(NO_LIMITS)}"


def _everywhere(guest: Guest) -> dict[str, str]:
    """Return the pfmon commands that run in guests with one CPU and with two."""
    return {
        "events": _events(),
        "live_sessions": live_sessions.command(),
        "counting": counting.command(with_perf(guest)),
    }


def _pfmon(guest: Guest) -> dict[str, str]:
    """Return the pfmon commands for a guest whose clock counts instructions."""
    return {
        "asked": _asked(),
        "sets": event_sets.command(guest.arch),
        "often": sampling_rates.command(guest.arch),
        "throttled": sampling_rates.command_throttled(),
        "limited": sampling_rates.command_limited(),
    }


def commands(guest: Guest) -> dict[str, str]:
    """Return the commands of a guest: name -> shell command."""
    found = _parallel(guest) if guest.parallel else _exact(guest)
    if without_narrow():
        found = {name: run for name, run in found.items() if not narrow(name)}
    return found


def _parallel(guest: Guest) -> dict[str, str]:
    """Return the commands of a guest whose CPUs run at the same time."""
    # Emulated CPUs may misread patched code: see keep_events.c.
    found = {"keep_events": "keep_events"}
    if guest == PROTECTED:
        found["protect"] = _limit(LIMITS)
    if guest == FOLLOWED:
        found["follow"] = following.script()
        found["adverse"] = adverse.script()
    if guest in CROWDED:
        found["off_cpu"] = off_cpu.command()
        found["short"] = short_processes.command()
    found |= {name: name for name in with_narrow(guest, native(guest))}
    found |= _everywhere(guest)
    found["own_cpus"] = event_sets.command_for_cpus(guest.arch)
    cpu = "/sys/devices/system/cpu/cpu1/online"
    toggle = f"echo 0 >{cpu} && echo 1 >{cpu}"
    measure = "pfmon --system-wide -e cpu-clock"
    found["offline"] = f"{measure} sh -c '{toggle}' 2>&1"
    if guest in CROWDED:
        found["replugged"] = short_processes.command_replugged()
    if guest in RANDOM:
        found["fuzz"] = FUZZ
    found["unload"] = rmmod("pfm_pmu_perf")
    if guest in WITH_NMIS:
        found |= nmi_commands(guest.series)
        if guest == PROTECTED:
            found["unprotect"] = _unprotect()
        found |= rigged_commands(guest.series)
        found["unrig"] = f"{rmmod('pfm_pmu_perf')} pfm_nmi"
    return found


def _exact(guest: Guest) -> dict[str, str]:
    """Return the commands of a guest whose clock counts instructions."""
    found = {}
    if guest == MEASURED:
        found["costs"] = costs.command()
    if guest in TRIGGERED:
        found["triggers"] = triggers.script()
    if guest == GROUPED:
        found["group"] = control_groups.command()
        found["call_graphs"] = call_graphs.command()
        found["killed"] = killed.script()
        found["off_cpu"] = off_cpu.command()
        found["many_threads"] = many_threads.command()
        found["short"] = short_processes.command()
        found["late"] = short_processes.command_late()
        found["late-command"] = short_processes.command_late_command()
        found["followed"] = short_processes.command_followed()
        found["unloaded"] = short_processes.command_unloaded()
        found["module"] = short_processes.command_module(insmod(NMI_MODULES[0]))
        found["listed"] = _listed()
    found |= {name: name for name in with_narrow(guest, native(guest))}
    found["named"] = _named()
    found |= _everywhere(guest) | _pfmon(guest)
    if guest.arch == "x86_64":
        for name, library in _preloaded().items():
            found[name] = f"LD_PRELOAD={PRELOAD_DIR}/{library} {name}"
        found["odd"] = f"{_odd('ret=-5')}; {_odd('ctrl=0')}; {_odd('ctrl=16')}"
    else:
        found |= _hardware()
    if guest in RANDOM:
        found["fuzz"] = FUZZ
    found["unload"] = rmmod("pfm_pmu_perf")
    found["simulate"] = insmod(*SIMULATED_MODULES, FORMAT_MODULE)
    found |= {name: name for name in with_narrow(guest, SIMULATED)}
    found["unsimulate"] = rmmod("pfm_pmu_sim")
    found["lock"] = insmod(*LOCKED_MODULES)
    return found | {name: name for name in LOCKED}


def _hardware() -> dict[str, str]:
    """Return the commands that count with the arm64 PMU."""
    sample = f"pfmon -e cycles --long-smpl-periods={PERIOD} --smpl-entries=256"
    sample += f" --short-smpl-periods={PERIOD} -o /out/retire.cap"
    same = "instructions,inst_retired,armv8_pmuv3/event=8/"
    turns = "pfmon --switch-timeout=4 -e instructions -e cycles -o /out/turns"
    many = ",".join(["cycles"] * (COUNTERS + 1))
    return {
        "count": f"pfmon -e instructions -o /out/count retire {ROUNDS}",
        "same": f"pfmon -e {same} -o /out/same retire {ROUNDS}",
        "retired": f"{sample} retire {ROUNDS}",
        "turns": f"{turns} retire {ROUNDS}",
        "together": f"! pfmon --check-events-only -e {many} 2>&1",
        "denied": f"pfmon -e {many} -o /out/denied retire {ROUNDS}",
    }


def narrow(name: str) -> bool:
    """Return whether a program or a library is 32-bit."""
    return name.partition(".")[0].endswith("32")


def _preloaded() -> dict[str, str]:
    """Return the programs of PRELOADED that this host can build."""
    if without_narrow():
        return {name: lib for name, lib in PRELOADED.items() if not narrow(name)}
    return PRELOADED


def _preloads(guest: Guest) -> Iterator[str]:
    """Yield the harness's options that add the preloaded libraries to a guest."""
    if guest.arch != "x86_64":
        return
    for library in _preloaded().values():
        arch = "i386" if narrow(library) else "x86_64"
        built = ROOT / "build" / arch / library.replace("32.", ".")
        yield f"--add={built}:{PRELOAD_DIR}/{library}"


# The guest in which the counts of perf and pfmon are compared.
BESIDE_PERF = Guest("x86_64", "6.12")


def with_perf(guest: Guest) -> bool:
    """Return whether a guest has perf (from the package linux-perf)."""
    return bool(counting.PERF) and guest == BESIDE_PERF


def _perf(guest: Guest) -> tuple[str, ...]:
    """Return the harness's options that add perf to a guest."""
    return (f"--program={counting.PERF}",) if with_perf(guest) else ()


def options(guest: Guest) -> list[str]:
    """Return the harness's options for a guest."""
    found = [f"--timeout={TIMEOUT}", *_preloads(guest), *_perf(guest)]
    if guest == GROUPED:
        found += call_graphs.options()
    if guest in CROWDED:
        found += users.options()
    if guest.arch == "x86_64":
        found.append("--parallel" if guest.parallel else "--icount")
    return found
