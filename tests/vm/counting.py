# SPDX-License-Identifier: MIT OR GPL-2.0
"""Count like perf stat: commands, and checks of their counts."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
from boot import Boot

PERF = shutil.which("perf")
# Each forked shell shares its parent's pages, so it causes page faults.
FORK = "sh -c 'i=0; while [ $i -lt 100 ]; do (:); i=$((i+1)); done'"
# Sleep because this causes context switches.
WAIT = "sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done'"
FORKS = 100
WAITS = 10
# The tolerance as a fraction: the number of page faults depends on whether parent or
# child runs first.
PART = 0.2
EVENTS = "-e page-faults,context-switches"
RUNS = 3
ABSENT = "/out/none/counts"


def command(with_perf: bool) -> str:
    """Return the shell command that runs all counting commands."""
    run = "sh -c 'echo . >>/tmp/runs; exit $(wc -l </tmp/runs)'"
    some = "-uk -e page-faults,alignment-faults,cycles"
    watch = "sh -c 'until [ $(wc -l </out/intervals) -gt 8 ]; do :; done'"
    long = "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'"
    every = "pfmon --system-wide --print-interval=20 --csv -e cpu-clock,cycles"
    lines = [
        "pfmon -o /out/defaults true",
        f"{{ pfmon -r {RUNS} -j {some} -o /out/runs {run}; test $? = 1; }}",
        f"{every} -o /out/intervals {watch}",
        f"pfmon --delay=-1 -I 10 --csv -e page-faults -o /out/unbegun {long}",
        f"! pfmon -e page-faults -o {ABSENT} touch /out/ran",
        "test ! -e /out/ran",
        "pfmon -e page-faults -o /out/kept true",
        "! pfmon -e page-faults -o /out/kept /none",
        "pfmon -e page-faults -o /out/kept --append true",
    ]
    for name, program in (("fork", FORK), ("wait", WAIT)):
        lines.append(f"pfmon --csv -uk {EVENTS} -o /out/{name} {program}")
        if with_perf:
            stat = f"perf stat -x, {EVENTS} -o /out/{name}.perf"
            lines.append(f"{stat} {program}")
    return f"({' && '.join(lines)}) 2>&1"


def check_forms(boot: Boot) -> None:
    """Fail the test unless the counts are printed in each requested format."""
    printed = boot.printed("counting")
    assert boot.command("counting") == 0, printed
    assert f"cannot write {ABSENT}: No such file or directory" in printed
    assert (boot.out / "kept").read_text().count(" page-faults\n") == 2
    _check_defaults((boot.out / "defaults").read_text())
    _check_runs((boot.out / "runs").read_text())
    _check_intervals(boot.out / "intervals")
    # With --delay=-1 and without SIGUSR1, the measurement never starts, so only the
    # counts at the end are printed.
    rows = (boot.out / "unbegun").read_text().splitlines()
    assert len(rows) == 2, rows


def _check_defaults(text: str) -> None:
    names = "task-clock context-switches cpu-migrations page-faults cycles instructions"
    lines = text.splitlines()
    assert [re.split(r"[ >]+", line.strip())[-1] for line in lines[-3:]] == [
        *("elapsed", "user", "system")
    ]
    for name, line in zip(names.split(), lines):
        # Root is allowed to count kernel events, so the suffix is not ":u".
        assert re.search(rf"(\d|<not supported>) {name}:uk\b", line)
    assert " CPUs utilised" in lines[0]


def _check_runs(text: str) -> None:
    told = json.loads(text)
    assert (told["runs"], told["exit_status"]) == (RUNS, 1)
    faults, none, cycles = told["rows"][0]["events"]
    assert faults["count"] > 0 and faults["deviation_percent"] < 100
    assert (none["state"], none["count"]) == ("counted", 0)
    assert cycles["state"] in ("counted", "not supported")


def _check_intervals(path: Path) -> None:
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    times = sorted({float(row["time"]) for row in rows})
    assert len(times) > 2
    clocks = [row for row in rows if row["event"] == "cpu-clock"]
    cpus = sorted({row["cpu"] for row in clocks})
    assert [row["cpu"] for row in clocks] == cpus * len(times)


def check_against_perf(boot: Boot) -> None:
    """Fail the test unless the counts of pfmon and perf agree within PART."""
    assert boot.command("counting") == 0, boot.printed("counting")
    ours, perfs = (
        {name: _counts(boot.out / f"{name}{kind}") for name in ("fork", "wait")}
        for kind in ("", ".perf")
    )
    our, theirs = (counts["fork"]["page-faults"] for counts in (ours, perfs))
    assert our >= FORKS
    assert our == pytest.approx(theirs, rel=PART)
    for counts in (ours, perfs):
        assert counts["wait"]["context-switches"] >= WAITS


def _counts(path: Path) -> dict[str, int]:
    """Return the counts in a CSV file of pfmon or perf; perf's has no header."""
    lines = path.read_text().splitlines()
    if lines[0].startswith("time,"):
        return {row["event"]: int(row["count"]) for row in csv.DictReader(lines)}
    rows = [row for row in csv.reader(lines) if len(row) > 2]
    return {row[2].partition(":")[0]: int(row[0]) for row in rows}
