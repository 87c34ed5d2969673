#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the phases of `make check`, and show the cost and results of all of them.

    bill.py start                   forget earlier phases
    bill.py run PHASE COMMAND...    run a phase; exit with the command's status
    bill.py show PHASE...           print the table; fail if a phase has not passed

Phases may run at the same time. A phase's output is printed when the phase has ended;
until then the output is in build/bill/PHASE.log. The table is also written to
build/bill.json, with the verdict, the state of the caches and the total time.
tests/checks/budget.toml has the expected numbers and CPU times. With REQUIRE_ALL=1 in
the environment, it is a failure if another number of guests is booted or of kernels is
built than expected; otherwise, only if the number is too high. If a phase takes more
than twice the expected CPU time, a warning is printed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts/vm")]

import cache  # noqa: E402
import command_line  # noqa: E402
import counted  # noqa: E402
import kernel_source  # noqa: E402

BILL = ROOT / "build/bill"
JSON = ROOT / "build/bill.json"
BUDGET = ROOT / "tests/checks/budget.toml"
# Matches the summaries of pytest and of the KUnit suites.
SUMMARY = re.compile(r"^\d+ \w+(?:, \d+ \w+)*(?: in [\d.]+s.*)?$", re.MULTILINE)
COUNT = re.compile(r"(\d+) (passed|failed|skipped|errors?)\b")
SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] (?:\S+: )?(.*)$", re.MULTILINE)
# These options make pytest list the reasons for skipped tests, and the slowest tests.
REPORTS = "-rs --durations=10 --durations-min=10"
RATIO = 2


@dataclass
class Phase:
    """The cost and the results of a phase.

    wall, cpu: seconds. guests: how many were booted or replayed (scripts/vm/kept_runs).
    kernels: how many were built. misread: how many guests ended because the emulator
    misread code. reasons: the number of skipped tests by reason.
    """

    name: str
    status: int
    wall: float
    cpu: float
    guests: int
    replayed: int
    misread: int
    kernels: int
    passed: int
    skipped: int
    failed: int
    reasons: dict[str, int]


def _tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def _run(name: str, command: list[str]) -> int:
    """Run a phase and record its cost; return its status."""
    log, notes = BILL / f"{name}.log", BILL / f"{name}.counted"
    BILL.mkdir(parents=True, exist_ok=True)
    notes.write_text("")
    environment = kernel_source.build_environment()
    environment["PERFMON_COUNTED"] = str(notes)
    environment["PYTEST_ADDOPTS"] = f"{os.environ.get('PYTEST_ADDOPTS', '')} {REPORTS}"
    _tell(f"{name} begins")
    start = time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _, waited, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.terminate()
            raise
    status = os.waitstatus_to_exitcode(waited)
    wall, cpu = time.monotonic() - start, usage.ru_utime + usage.ru_stime
    phase = _phase(name, status, wall, cpu, log.read_text(errors="replace"), notes)
    (BILL / f"{name}.json").write_text(json.dumps(asdict(phase)))
    _show_log(name, log)
    ending = f"failed with {status}" if status else "has passed"
    _tell(f"{name} {ending} after {_minutes(wall)}")
    return status


def _phase(
    name: str, status: int, wall: float, cpu: float, printed: str, notes: Path
) -> Phase:
    counts: Counter[str] = Counter()
    for summary in SUMMARY.findall(printed):
        for number, end in COUNT.findall(summary):
            counts["failed" if end.startswith("error") else end] += int(number)
    reasons: Counter[str] = Counter()
    for number, reason in SKIPPED.findall(printed):
        reasons[reason] += int(number)
    noted = Counter(notes.read_text().split())
    return Phase(
        name=name,
        status=status,
        wall=wall,
        cpu=cpu,
        guests=noted[counted.GUEST] + noted[counted.REPLAYED],
        replayed=noted[counted.REPLAYED],
        misread=noted[counted.MISREAD],
        kernels=noted[counted.KERNEL],
        passed=counts["passed"],
        skipped=counts["skipped"],
        failed=counts["failed"],
        reasons=dict(reasons),
    )


def _show_log(name: str, log: Path) -> None:
    """Print a phase's output, without mixing it with another phase's."""
    with open(BILL / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        print(f"==== {name}", flush=True)
        with open(log, "rb") as printed:
            shutil.copyfileobj(printed, sys.stdout.buffer)
        sys.stdout.flush()


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _show(names: list[str]) -> int:
    """Print the table and the problems; return 1 if a phase has not passed."""
    there = {name: BILL / f"{name}.json" for name in names}
    phases = [
        Phase(**json.loads(path.read_text()))
        for path in there.values()
        if path.exists()
    ]
    phases.sort(key=lambda phase: -phase.cpu)
    wall = time.time() - float((BILL / "started").read_text())
    caches = (BILL / "caches").read_text()
    _print_table(phases, wall)
    print(f"caches: {caches}")
    wrong = _compare(phases, caches)
    failed = [each.name for each in phases if each.status]
    not_run = [name for name, path in there.items() if not path.exists()]
    for text, some in (("failed", failed), ("not run", not_run)):
        if some:
            print(f"{text}: {', '.join(some)}")
    passed = not (failed or not_run or wrong)
    bill = {
        "verdict": "passed" if passed else "failed",
        "caches": caches,
        "wall": wall,
        "phases": [asdict(phase) for phase in phases],
    }
    JSON.write_text(json.dumps(bill, indent=1) + "\n")
    return 0 if passed else 1


def _print_table(phases: list[Phase], wall: float) -> None:
    """Print a row for each phase, the reasons for skips, and the emulator's faults."""
    print("| phase | wall | CPU | guests | kernels | passed | skipped | failed |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for each in phases:
        _print_row(each.name, each.wall, [each])
    _print_row("all", wall, phases)
    reasons = sum((Counter(each.reasons) for each in phases), Counter[str]())
    for reason, number in reasons.most_common():
        print(f"skipped: {number}: {reason}")
    replayed = sum(each.replayed for each in phases)
    if replayed:
        print(f"guests replayed because their files have not changed: {replayed}")
    misread = sum(each.misread for each in phases)
    if misread:
        print(f"guests rebooted after a fault of the emulator: {misread}")


def _print_row(name: str, wall: float, phases: list[Phase]) -> None:
    cpu = _minutes(sum(each.cpu for each in phases))
    numbers = [
        sum(getattr(each, field) for each in phases)
        for field in ("guests", "kernels", "passed", "skipped", "failed")
    ]
    print(f"| {' | '.join((name, _minutes(wall), cpu, *map(str, numbers)))} |")


def _compare(phases: list[Phase], caches: str) -> bool:
    """Compare the phases with the budget; return whether a number is wrong."""
    budget = tomllib.loads(BUDGET.read_text())
    built = sum(each.kernels for each in phases)
    wrong = _is_wrong("the phases built", built, "kernels", budget["kernels"][caches])
    for each in phases:
        if each.name not in budget:
            continue
        expected = budget[each.name]
        if each.cpu > RATIO * expected[caches]:
            print(
                f"warning: {each.name} took {each.cpu:.0f} s of CPU time, "
                f"more than {RATIO} times the {expected[caches]} s of {BUDGET.name}"
            )
        guests = expected["guests"]
        if "CHECK_ALL" in os.environ:
            guests = expected.get("guests_of_all", guests)
        booted = each.guests - each.misread
        wrong |= _is_wrong(f"{each.name} booted", booted, "guests", guests)
    return wrong


def _is_wrong(did: str, number: int, what: str, expected: list[int]) -> bool:
    """Report a number that is not expected; return whether it is a failure.

    If parts may be left out, a lower number is correct.
    """
    if number in expected:
        return False
    if number < max(expected) and not os.environ.get("REQUIRE_ALL"):
        return False
    print(f"{did} {number} {what}, expected {' or '.join(map(str, expected))}")
    return True


def _start() -> int:
    shutil.rmtree(BILL, ignore_errors=True)
    BILL.mkdir(parents=True)
    (BILL / "started").write_text(str(time.time()))
    # Each run makes root file systems and a kernel with KUnit. If the cache already has
    # one of them, it may have everything.
    slow = ("roots/*", "kunit/*/build/vmlinux")
    warm = any(any(cache.root().glob(each)) for each in slow)
    (BILL / "caches").write_text("warm" if warm else "cold")
    return 0


def main() -> int:
    """Run the requested action; return the exit status."""
    command_line.exit_on(signal.SIGTERM, signal.SIGINT)
    match sys.argv[1:]:
        case ["start"]:
            return _start()
        case ["run", name, *command] if command:
            return _run(name, command)
        case ["show", *names] if names:
            return _show(names)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
