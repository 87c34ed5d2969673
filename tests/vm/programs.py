#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT OR GPL-2.0
"""The programs of tests/guest, and the guests in which they run.

Each kernel has a guest with one CPU whose clock counts instructions: nothing there
depends on the host's clock or load. Each x86_64 kernel has a second guest, whose two
CPUs run at the same time, for programs that need that. Run as a program, this file
prints the list.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts/vm")]

from boot import Target, names_of  # noqa: E402
from kernels import SUPPORTED  # noqa: E402

# True in `make check-all`, which runs all tests in full length.
ALL = "CHECK_ALL" in os.environ
# The kernels on which all programs run. Other kernels skip long tests, NMIs and random
# calls: see docs/testing.md.
THOROUGH = ("6.12", "7.3", *(["6.12-rt"] if ALL else []))
# The x86_64 kernels on which 32-bit programs run.
WITH_NARROW = THOROUGH if ALL else THOROUGH[:1]
# The modules of the formats, such as formats/nway/pfm_fmt_nway, by the format's name.
FORMATS = {
    name: f"formats/{path.parent.name}/pfm_fmt_{name}"
    for path in sorted(ROOT.glob("formats/*/Kbuild"))
    for name in re.findall(r"obj-m \+= pfm_fmt_(\w+)\.o", path.read_text())
}
# The programs in running order. fmt, pmu, main and stress unload and load the modules;
# oprofile loads a module of its own.
PROGRAMS = (
    *("dev", "vector", "regs", "load", "restart", "value", "overflow", "ctxfile"),
    *("attach", "buffer", "charge", "evtset", "evtset_page", "evtset_switch"),
    "exclude",
    *("default", "nway", "callers", "histogram", "callstack", "flight", "stacks"),
    "cgroup_counts",
    *("sample", "pebs", "syswide", "cpu", "config", "sysfs", "compat2x", "compat22"),
    *("block", "block_stops", "realtime", "perm", "levels", "races", "pmu_perf"),
    *("clock", "pmc_config", "defect", "delay", "release", "throttle", "unwind_dev"),
    *("unwind_user", "inherit", "inherit_smpl", "arg", "fmt", "pmu", "main"),
    *("oprofile", "member", "refused", "leftovers", "stress", "storm"),
)
# Programs whose tests need two CPUs.
TWO_CPUS = (
    *("load", "attach", "default", "nway", "syswide", "cpu", "pmc_config"),
    *("inherit", "inherit_smpl", "realtime", "races", "stress", "storm"),
)
LONG = ("races", "stress", "storm")
# Programs for arm64 with two CPUs: see test_live_counters.
LIVE = ("live_counters",)
# Programs in guests of their own: see test_raw_time.
RAW_TIME = ("raw_time",)
# Programs that are also built as 32-bit programs, from the same sources.
PROGRAMS32 = (
    *("dev", "vector", "regs", "load", "restart", "value", "overflow", "ctxfile"),
    *("attach", "buffer", "charge", "evtset", "evtset_page", "evtset_switch"),
    "exclude",
    *("default", "nway", "callers", "histogram", "callstack", "flight", "stacks"),
    "cgroup_counts",
    *("pebs", "syswide", "config", "compat2x", "compat22", "block", "oprofile"),
    *("simpmu", "simpebs", "arg"),
)
# Dynamically linked programs that use an old perfmon 2.x library, and our library that
# is preloaded to replace it. They run on x86_64.
PRELOADED = {
    "dynamic2x": "libpfm2x.so.0",
    "dynamic2x32": "libpfm2x32.so.0",
    "dynamic22": "libpfm22.so.0",
    "dynamic2232": "libpfm2232.so.0",
}
# Folders of tests/guest in which each file is a program. The programs of compat/ are
# listed below.
FOLDERS = ("interface", "formats", "stress", "nmi")
# Programs whose sources have other names.
SOURCES_OF = {
    "compat2x": ("compat2x", "create2x"),
    "compat22": ("compat2x", "create22"),
    "dynamic2x": ("compat2x", "create2x"),
    "dynamic22": ("compat2x", "create22"),
}
# These programs run with the simulated PMU, after all others except LOCKED.
SIMULATED = ("simpmu", "simpebs")
# These programs run on x86_64, after those above, with a perf PMU whose overflows are
# NMIs. The programs of RIGGED run again, with NMIs instead of page faults.
NMI = (
    *("nmi", "nmi_callers", "nmi_pebs", "nmi_sample", "nmi_oprofile", "nmi_unwind"),
    *("nmi_replaced", "nmi_hostile", "nmi_fire", "nmi_life"),
)
RIGGED = (
    *("overflow", "restart", "evtset", "evtset_switch", "ctxfile", "regs", "buffer"),
    *("exclude", "default", "nway", "block", "stress", "storm"),
)
RIG_PREFIX = "rig-"
# With NMIs, these programs repeat what they test without NMIs, so `make check` runs
# them with NMIs on only one kernel.
REPEATED = ("stress", "storm")
# The property of a pytest report that holds the name of the guest's test.
RAN = "ran"
# These programs run last, with the perf PMU: afterwards the kernel accepts no modules.
LOCKED = ("lockdown",)
# These programs run only on the debug kernel: see tests/debug.
DEBUG_ONLY = ("nomemory", "suspend")


@dataclass(frozen=True)
class Guest(Target):
    """A guest's kernel, and whether its CPUs run at the same time."""

    parallel: bool = False

    def __str__(self) -> str:
        return f"{super().__str__()}{'-parallel' if self.parallel else ''}"


TARGETS = [Guest(arch, series) for arch in SUPPORTED for series in SUPPORTED[arch]]
ARM64 = [guest for guest in TARGETS if guest.arch == "arm64"]
X86_64 = [guest for guest in TARGETS if guest.arch == "x86_64"]
PARALLEL = [Guest(guest.arch, guest.series, parallel=True) for guest in X86_64]
GUESTS = [*TARGETS, *PARALLEL]
WITH_NMIS = [guest for guest in PARALLEL if guest.series in THOROUGH]


def usual(target: Target) -> list[str]:
    """Return the programs of PROGRAMS that run on a kernel."""
    long = () if target.series in THOROUGH else LONG
    return [name for name in PROGRAMS if name not in long]


def native(guest: Guest) -> list[str]:
    """Return the programs of PROGRAMS that run in a guest."""
    if guest.arch != "x86_64":
        return usual(guest)
    return [name for name in usual(guest) if (name in TWO_CPUS) == guest.parallel]


def with_narrow(guest: Guest, names: Iterable[str]) -> list[str]:
    """Return the names of programs and of their 32-bit variants."""
    names = list(names)
    narrow = [name for name in names if name in PROGRAMS32]
    if guest.arch != "x86_64" or guest.series not in WITH_NARROW:
        narrow = []
    return [*names, *(f"{name}32" for name in narrow)]


def repeats_nmis(series: str) -> bool:
    """Return whether a kernel's tests with NMIs are shortened.

    Only the first kernel of THOROUGH runs them in full length, unless ALL is true.
    """
    return series in THOROUGH[1:] and not ALL


def rigged(series: str) -> list[str]:
    """Return the programs of RIGGED that run on a kernel."""
    left_out = REPEATED if repeats_nmis(series) else ()
    return [name for name in RIGGED if name not in left_out]


def with_nmis(series: str) -> list[str]:
    """Return the names of the programs that run with NMIs on a kernel."""
    return [*NMI, *(f"{RIG_PREFIX}{name}" for name in rigged(series))]


def programs_of(guest: Guest) -> list[str]:
    """Return the names of all programs that run in a guest."""
    if guest.parallel:
        nmis = with_nmis(guest.series) if guest in WITH_NMIS else []
        return [*with_narrow(guest, native(guest)), *nmis]
    names = with_narrow(guest, (*native(guest), *SIMULATED, *LOCKED))
    return [*names, *(PRELOADED if guest.arch == "x86_64" else ())]


def source_of(program: str) -> str:
    """Return the name of the program that a variant is built from."""
    return program.removesuffix("32").removeprefix(RIG_PREFIX)


def names_in(program: str) -> list[str]:
    """Return the names of a program's tests."""
    name = source_of(program)
    return [test for part in SOURCES_OF.get(name, (name,)) for test in names_of(part)]


def _list() -> None:
    """Print the guests in which each program runs."""
    guests: dict[str, list[str]] = {}
    for guest in GUESTS:
        for program in programs_of(guest):
            guests.setdefault(program, []).append(str(guest))
    for program, names in guests.items():
        print(f"{program:16} {' '.join(names)}")


if __name__ == "__main__":
    _list()
