# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure times on and off CPU of known programs, as root and as a user."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter

import following
import pytest
import users
from boot import ROOT, Boot

TIMES, MS = 4, 100
# The functions of the program "waits", and the function that each calls to wait.
WAITS = {
    "wait_asleep": "nanosleep",
    "wait_for_lock": "mutex_lock",
    "wait_for_data": "read",
}
# The minimum time in ns that each function waits in total: the first thread, another
# thread and a child process call it.
SLEEPS = 3 * TIMES * MS * 10**6
# Tolerances as fractions, for guests whose clock counts instructions. In other guests,
# the host may stop a CPU at any moment, so the times are not checked there.
EXACT = 0.005
# Tolerances for the functions compute() and rest(), which each thread calls in turn.
# compute() is measured by clock samples, which are less exact.
SHARES = {"compute": 0.1, "rest": 0.01}
STEP = MS * 10**6 // 10  # in ns
# The options of each capture; each is recorded as root and as a user.
CAPTURES = {"off": "--off-cpu", "sum": "--off-cpu=sum", "wall": "--wall-clock"}


def command() -> str:
    """Return the command that records the waits as root and as a user."""
    work = f"waits {TIMES} {MS}"
    level = "/proc/sys/kernel/perf_event_paranoid"
    user = f"HOME=/tmp/home {users.AS_USER}"
    records = {
        name: f"pfmon {option} -o /out/{name}{{0}}.cap {work} >/out/{name}{{0}}"
        for name, option in CAPTURES.items()
    }
    lines = [
        *(record.format("") for record in records.values()),
        f"cp {level} /tmp/level && echo 2 >{level}",
        "mkdir /tmp/home && chmod 777 /tmp/home /out",
        *(f"{user} {record.format('-user')}" for record in records.values()),
        f"cat /tmp/level >{level}",
    ]
    return f"({' && '.join(lines)}) 2>&1"


def exported(boot: Boot, name: str, to: str) -> str:
    symfs = ROOT / "build/x86_64/tests"
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", "export", "--to", to]
        + [f"--symfs={symfs}", "-o", "-", str(boot.out / f"{name}.cap")],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return done.stdout


def times(boot: Boot, name: str) -> Counter[tuple[str, ...]]:
    """Return the time off CPU of each stack in ns."""
    found = Counter[tuple[str, ...]]()
    for line in exported(boot, name, "folded").splitlines():
        stack, _, weight = line.rpartition(" ")
        found[tuple(stack.split(";"))] += int(weight)
    return found


def printed(boot: Boot, name: str) -> Counter[str]:
    """Return the time in ns that the program printed for each function."""
    found = Counter[str]()
    for line in re.findall(r"^\w+: \d+$", (boot.out / name).read_text(), re.M):
        function, time = line.split(": ")
        found[function] += int(time)
    return found


def check(boot: Boot, name: str, parallel: bool) -> None:
    """Fail the test unless each function's time off CPU is the time that it waited.

    If the guest's CPUs run at the same time, check only that there is such a time.
    """
    assert boot.command("off_cpu") == 0, boot.printed("off_cpu")
    waited = printed(boot, name)
    found = times(boot, name)
    for function, callee in WAITS.items():
        own = {stack: time for stack, time in found.items() if function in stack}
        # Add up the stacks in which the function itself calls the C library's waiting
        # function. In a clock sample, the function may be the last frame.
        direct = sum(
            time
            for stack, time in own.items()
            if callee in (*stack, "")[stack.index(function) + 1]
        )
        if parallel:
            assert direct > 0, own
            continue
        expected = waited[function]
        assert expected >= SLEEPS
        assert sum(own.values()) == pytest.approx(expected, rel=EXACT)
        assert direct >= SLEEPS * (1 - EXACT), own


def check_states(boot: Boot, name: str, parallel: bool) -> None:
    """Fail the test unless threads slept for nearly all of their time off CPU.

    If the guest's CPUs run at the same time, check only that they slept.
    """
    capture = boot.out / f"{name}.cap"
    report = following.pfmparse("report", capture, "--by=state", "--weight=off")
    weights = {row["key"]: row["weight"] for row in report["rows"]}
    asleep = weights["sleeping"] / sum(weights.values())
    assert asleep > (0 if parallel else 1 - 2 * EXACT), weights
    # No thread was stopped by a tracer: pfmon does not trace the command, because the
    # command's threads and children inherit the context.
    assert "traced" not in weights


def check_shares(boot: Boot, name: str, parallel: bool) -> None:
    """Fail the test unless computing and resting have their shares of the time.

    The program computes and rests in turn, in steps of about the clock's period. If the
    guest's CPUs run at the same time, check only that the states are right.
    """
    assert boot.command("off_cpu") == 0, boot.printed("off_cpu")
    report = following.pfmparse("report", boot.out / f"{name}.cap", "--by=state")
    weights = {row["key"]: row["weight"] for row in report["rows"]}
    assert weights["running"] > 0
    assert weights["ended"] == 0
    if parallel:
        return
    expected, found = printed(boot, name), times(boot, name)
    # compute() uses CPU time only while its thread is in the state "running".
    assert weights["running"] >= expected["compute"]
    for function, tolerance in SHARES.items():
        direct = sum(
            time
            for stack, time in found.items()
            if function in stack and stack[stack.index(function) - 1] == "work"
        )
        assert direct == pytest.approx(expected[function], rel=tolerance), found


def check_views(boot: Boot, name: str) -> None:
    """Fail the test unless views that show time have all of it, in the right steps."""
    assert boot.command("off_cpu") == 0, boot.printed("off_cpu")
    assert exported(boot, name, "html").rstrip().endswith("</html>")
    capture, step = boot.out / f"{name}.cap", f"--step={STEP}ns"
    for weight in ("off", "wall"):
        arguments = (capture, f"--weight={weight}")
        total = following.pfmparse("report", *arguments)["total_weight"]
        timeline = following.pfmparse("timeline", *arguments, step, "--by=tid")
        sums = [sum_ for each in timeline["columns"] for _, sum_ in each["steps"]]
        assert sum(sums) == total
        # The CPU time of a sample may have been used before the sample's step.
        assert weight == "wall" or max(sums) <= STEP
