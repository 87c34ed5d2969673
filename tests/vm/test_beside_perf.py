# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare pfmon and perf on whole programs in one guest.

Each program runs once unmeasured, twice under perf stat, twice under pfmon, once under
pfmon --follow-all, and is sampled once by perf record and once by pfmon. Both
tools also sample 80 short processes system-wide. All programs except come_and_go and
hotloops come from the host. The guest's time depends only on the instructions
executed, so the host does not cause differences between runs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import short_processes
from boot import ROOT, Boot, Target, python_files

TARGET = Target("x86_64", "6.12")
# The factor by which `make beside-perf` lengthens the programs' run time.
SCALE = int(os.environ.get("BESIDE_SCALE", "1"))
TIMEOUT = 1800
TOOLS = ("perf", "gcc", "as", "xz", "python3")
# Programs that are part of every guest.
GUESTS_OWN = ("come_and_go",)
FAULTS, USER_FAULTS, SWITCHES = "page-faults", "page-faults:u", "context-switches"
CLOCK = "task-clock"
EVENTS = (USER_FAULTS, FAULTS, SWITCHES, CLOCK)
# The units of perf's counts
UNITS = {"": 1, "msec": 10**6}
PERF, PFMON = ("perf-1", "perf-2"), ("pfmon-1", "pfmon-2")
# A run under pfmon --follow-all
FOLLOWED = "followed"
RUNS = ("perf-1", "pfmon-1", "perf-2", "pfmon-2", FOLLOWED)
# The CPU time between samples in ns.
PERIOD = 25_000
# The tolerance in percentage points. Two measured shares of 50 % with MIN_SAMPLES
# samples differ by more only once in a thousand runs.
POINTS = 2.0
MIN_SAMPLES = 13_500
# Python's heap depends on the environment and on the hash seed, so both are fixed.
SAME = "env -i PATH=$PATH PYTHONHASHSEED=0"
# The tolerance in pages: perf adds a few bytes to the environment, so the stack may
# need more or fewer pages.
PAGES = 2
# The tolerance as a fraction of all context switches: threads that share a CPU are
# switched at ticks, which interrupt their work at different points.
SLICES = 0.1
# The tolerance as a fraction of the CPU time, which includes the tools' work at context
# switches and when threads and processes start.
CLOCKS = 0.003
# The number of stops that --follow-all adds per new process: the parent stops at the
# fork and for SIGCHLD; the new process stops after its exec and before its exit.
STOPS = 4
CHILDREN = 4
# The tolerance, as a fraction, of pfmon's CPU time while it samples short processes.
OWN = 0.05
SCRIPT = """\
import os


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


for _ in range({children}):
    os.posix_spawn("/usr/bin/xz", ["xz", "--version"], os.environ)
    os.wait()
print(fibonacci({depth}), len(sorted(str(i) for i in range({numbers}))))
"""


@dataclass(frozen=True)
class Program:
    """A program to measure. births: how many threads and processes it starts."""

    command: str
    births: int


FILES = 6 * SCALE
DEPTH = 22 + SCALE.bit_length()
PROGRAMS = {
    # Compiling a file starts the driver, the compiler and the assembler.
    "compiler": Program("sh compile.sh", 3 * FILES),
    "threads": Program(f"come_and_go {40 * SCALE}", 64),
    "python": Program("python3 -s -S -B script.py", CHILDREN),
    "xz": Program("/usr/bin/xz -k -c -0 -T4 --block-size=100KiB data", 4),
}
PREPARE = f"""
mkdir -p /usr/include /tmp/work
touch /usr/include/stdc-predef.h
echo 0 >/proc/sys/kernel/randomize_va_space
echo never >/sys/kernel/mm/transparent_hugepage/enabled
cd /tmp/work
for i in $(seq {FILES}); do
    echo "int square_$i(int x) {{ return x * x + $i; }}" >square_$i.c
done
cat >compile.sh <<'END'
for file in square_*.c; do
    gcc -c -o /tmp/work/square.o $file
done
END
cat >script.py <<'END'
{SCRIPT.format(children=CHILDREN, depth=DEPTH, numbers=180000 * SCALE)}END
head -c {400000 * SCALE} /perfmon/bin/pfmon >data
"""


def _commands() -> dict[str, str]:
    """Return the guest's commands; each program first runs once unmeasured."""
    events = ",".join(EVENTS)
    ours = f"{USER_FAULTS},{FAULTS}:uk,{SWITCHES}:uk,{CLOCK}:uk"
    tools = {
        "perf": f"perf stat -x, -o /tmp/counts -e {events}",
        "pfmon": f"pfmon -o /tmp/counts -e {ours}",
        FOLLOWED: f"pfmon --follow-all -o /tmp/counts -e {ours}",
        # Without -B and -N, perf would read and copy all programs once more.
        "perf-samples": "perf record -q -B -N -e cpu-clock "
        f"-c {PERIOD} -o /out/{{}}.data",
        "pfmon-samples": "pfmon -uk -e cpu-clock "
        f"--long-smpl-periods={PERIOD} -o /out/{{}}.cap",
    }
    found = {"prepare": f"{PREPARE}cp /proc/kallsyms /out"}
    for tool in ("perf", "pfmon"):
        everywhere = tools[f"{tool}-samples"].format("short")
        everywhere += " -a" if tool == "perf" else " --system-wide"
        found[f"short-{tool}"] = f"time {everywhere} sh -c '{short_processes.LOOP}'"
    for name, program in PROGRAMS.items():
        found[f"{name}-alone"] = f"{program.command} >/dev/null"
        for run in (*RUNS, "perf-samples", "pfmon-samples"):
            tool = tools.get(run) or tools[run.partition("-")[0]]
            measured = f"{tool.format(name)} {SAME} {program.command} >/dev/null"
            shown = " && cat /tmp/counts" if run in RUNS else ""
            found[f"{name}-{run}"] = measured + shown
    return found


@cache
def _missing() -> tuple[str, ...]:
    return tuple(name for name in TOOLS if not shutil.which(name, path="/usr/bin"))


def _asked(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


def _added() -> Iterator[str]:
    """Yield the host's files that the guest needs at the same paths."""
    files = [f"/usr/bin/{name}" for name in TOOLS]
    files += _asked("/usr/bin/gcc", "-print-prog-name=cc1")
    files += python_files("encodings.latin_1", "os")
    for path in files:
        yield f"--add={Path(path).resolve()}:{path}"


@pytest.fixture(scope="module", name="guest")
def fixture_guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boot]:
    """Boot the guest."""
    if _missing():
        pytest.skip(f"these programs are not installed: {', '.join(_missing())}")
    out = tmp_path_factory.mktemp("beside")
    options = ("--icount", f"--timeout={TIMEOUT * SCALE}", *_added())
    guest = Boot(TARGET, _commands(), out, options, keep=SCALE == 1)
    yield guest
    guest.close()


def _printed(guest: Boot, name: str) -> str:
    """Return the output of a command, which must have succeeded."""
    status = guest.command(name)
    assert status == 0, f"{name}: {status}\n{guest.printed(name)}{guest.errors()}"
    return guest.printed(name)


def _counts(guest: Boot, name: str, run: str) -> dict[str, int]:
    """Return the counts of one run under a tool, by event."""
    printed = _printed(guest, f"{name}-{run}")
    ours, perfs = r"^ *(\d+) ()(\S+)", r"^([\d.]+),(\w*),([^,]*),"
    rows = re.findall(perfs if run in PERF else ours, printed, re.MULTILINE)
    found = {
        event.removesuffix(":uk"): round(float(count) * UNITS[unit])
        for count, unit, event in rows
    }
    assert set(found) == set(EVENTS), printed
    return found


def _counts_of(guest: Boot, name: str, runs: Iterable[str], event: str) -> list[int]:
    """Return an event's counts in these runs of a program."""
    return [_counts(guest, name, run)[event] for run in runs]


@pytest.fixture(scope="module", name="symfs")
def fixture_symfs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the guest's programs at the guest's paths."""
    tree = tmp_path_factory.mktemp("symfs")
    for name in ("usr", "lib", "lib64"):
        (tree / name).symlink_to(f"/{name}")
    (tree / "perfmon/bin").mkdir(parents=True)
    for name in GUESTS_OWN:
        built = ROOT / "build" / TARGET.arch / "tests" / name
        (tree / "perfmon/bin" / name).symlink_to(built)
    return tree


# The text that reports print for functions without symbols.
NAMELESS = re.compile(r"0x[0-9a-f]+$|/|\[")


@dataclass(frozen=True)
class Row:
    """A row of a report."""

    function: str
    program: str
    samples: int

    @property
    def key(self) -> str:
        """Return the row's function, or its program if there are no symbols."""
        if not NAMELESS.match(self.function):
            return self.function
        return Path(self.program).name


def _shares(rows: list[Row]) -> dict[str, float]:
    """Return the percentage of samples in each function."""
    total = sum(row.samples for row in rows)
    assert total >= MIN_SAMPLES
    sums = dict.fromkeys((row.key for row in rows), 0)
    for row in rows:
        sums[row.key] += row.samples
    return {key: 100 * samples / total for key, samples in sums.items()}


def _reported(command: list[str], **environment: str) -> str:
    """Return the output of a report."""
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _perf_report(data: Path, *options: str) -> str:
    report = ["perf", "report", "-i", str(data), "--stdio", "-n", "-t|", *options]
    return _reported(report, PERF_CONFIG="/dev/null", HOME=str(data.parent))


def _pfmparse_report(capture: Path, *options: str) -> Any:
    report = [sys.executable, "-m", "pfmparse", "report", str(capture), "--json"]
    return json.loads(_reported([*report, *options], PYTHONPATH=str(ROOT / "parsers")))


def _perf_rows(data: Path, symfs: Path) -> list[Row]:
    where = ["--symfs", str(symfs), "--kallsyms", str(data.with_name("kallsyms"))]
    text = _perf_report(data, *where, "--sort=sym,dso", "--no-demangle")
    row = re.compile(r"^ *[0-9.]+%\s*\|\s*(\d+)\s*\|\[.\] (.*?)\s*\|(\S+)\s*$", re.M)
    return [Row(name, place, int(count)) for count, name, place in row.findall(text)]


def _pfmparse_rows(capture: Path, symfs: Path) -> list[Row]:
    how = ("--no-inlines", "--no-demangle", "--symfs", str(symfs))
    rows = _pfmparse_report(capture, *how)["rows"]
    return [Row(row["key"], row["object"], row["count"]) for row in rows]


def _beyond(perf: list[int], ours: list[int]) -> int:
    """Return by how much pfmon's counts are outside the range of perf's counts."""
    return max(max(min(perf) - count, count - max(perf), 0) for count in ours)


@pytest.mark.parametrize("name", PROGRAMS)
def test_user_page_faults_agree_with_perf(name: str, guest: Boot) -> None:
    perf = _counts_of(guest, name, PERF, USER_FAULTS)
    ours = _counts_of(guest, name, (*PFMON, FOLLOWED), USER_FAULTS)
    spread = max(perf) - min(perf)
    assert _beyond(perf, ours) <= spread + PAGES, (perf, ours)


@pytest.mark.parametrize("name", PROGRAMS)
def test_page_faults_omit_kernel_faults_at_births(name: str, guest: Boot) -> None:
    perf = _counts_of(guest, name, PERF, FAULTS)
    ours = _counts_of(guest, name, (*PFMON, FOLLOWED), FAULTS)
    spread = max(perf) - min(perf)
    most = PROGRAMS[name].births + spread + PAGES
    assert min(perf) - most <= min(ours) <= max(ours) <= max(perf) + spread + PAGES


def _expect_switches(guest: Boot, name: str, runs: Iterable[str], stops: int) -> None:
    """Check the runs' context switches; each birth may add ``stops`` of them."""
    perf = _counts_of(guest, name, PERF, SWITCHES)
    ours = _counts_of(guest, name, runs, SWITCHES)
    slack = max(perf) - min(perf) + SLICES * max(perf)
    most = max(perf) + stops * PROGRAMS[name].births + slack
    assert min(perf) - slack <= min(ours) <= max(ours) <= most, (perf, ours)


@pytest.mark.parametrize("name", PROGRAMS)
def test_context_switches_agree_with_perf(name: str, guest: Boot) -> None:
    _expect_switches(guest, name, PFMON, 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_following_adds_only_its_stops(name: str, guest: Boot) -> None:
    _expect_switches(guest, name, (FOLLOWED,), STOPS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_task_clock_agrees_with_perf(name: str, guest: Boot) -> None:
    perf = _counts_of(guest, name, PERF, CLOCK)
    ours = _counts_of(guest, name, PFMON, CLOCK)
    assert _beyond(perf, ours) <= CLOCKS * max(perf), (perf, ours)


@pytest.mark.parametrize("name", PROGRAMS)
def test_profiles_agree_with_perf(name: str, guest: Boot, symfs: Path) -> None:
    for run in ("perf-samples", "pfmon-samples"):
        _printed(guest, f"{name}-{run}")
    # The guest delivers its files when it ends.
    assert guest.status() == 0, guest.errors()
    perf = _shares(_perf_rows(guest.out / f"{name}.data", symfs))
    ours = _shares(_pfmparse_rows(guest.out / f"{name}.cap", symfs))
    for function in perf.keys() | ours.keys():
        shares = perf.get(function, 0), ours.get(function, 0)
        assert abs(shares[0] - shares[1]) <= POINTS, (function, shares)


def _perf_samples(data: Path) -> int:
    """Count the samples of perf itself, including those before it runs the command."""
    rows = re.findall(r"\| *(\d+) *\|(\S+)", _perf_report(data, "--sort=comm"))
    return sum(int(count) for count, comm in rows if comm.startswith("perf"))


def _pfmon_samples(capture: Path) -> int:
    """Count the samples of pfmon itself, including those before it runs the command."""
    rows = _pfmparse_report(capture, "--by", "comm")["rows"]
    return sum(row["count"] for row in rows if row["key"] == "pfmon")


def test_system_wide_sampling_costs_at_most_perfs(guest: Boot) -> None:
    for tool in ("perf", "pfmon"):
        _printed(guest, f"short-{tool}")
    assert guest.status() == 0, guest.errors()
    perf = _perf_samples(guest.out / "short.data")
    ours = _pfmon_samples(guest.out / "short.cap")
    assert 0 < ours <= (1 + OWN) * perf, perf


def _cpu_time(guest: Boot, tool: str) -> float:
    """Return the CPU time of a tool and the short processes, in seconds."""
    printed = _printed(guest, f"short-{tool}")
    times = re.findall(r"^(?:user|sys)\s+(\d+)m ([\d.]+)s$", printed, re.MULTILINE)
    assert len(times) == 2, printed
    return sum(60 * int(minutes) + float(seconds) for minutes, seconds in times)


def test_session_takes_less_cpu_time_than_perfs(guest: Boot) -> None:
    assert _cpu_time(guest, "pfmon") < _cpu_time(guest, "perf")


def test_the_kernel_is_content(guest: Boot) -> None:
    assert guest.status() == 0, guest.errors()
