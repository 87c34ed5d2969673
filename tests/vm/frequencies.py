# SPDX-License-Identifier: MIT OR GPL-2.0
"""Samples at a frequency: what pfmon records in a guest, and how far off it is."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from boot import ROOT

HZ = 2000
# With one instruction in 2 ns, a cycle is a nanosecond on arm64.
CYCLES_A_SECOND = 1_000_000_000
# retire does two instructions, of a cycle each or two, a round.
ROUNDS = 100_000_000
# How often faults are sampled, of programs that each have some of their own.
FAULT_HZ = 20
# Before the period is right.
EARLY = 1 / 2


def command(arch: str) -> str:
    """Return the command that samples at frequencies."""
    sample = f"pfmon --system-wide -uk -F {FAULT_HZ} -e page-faults -o /out/faults.cap"
    lines = [
        "{ while :; do (true); done & }",
        f"{sample} --duration=1",
        "kill $!",
    ]
    if arch == "arm64":
        sample = f"pfmon -F {HZ}, -e cycles,instructions -o /out/often.cap"
        lines.append(f"{sample} retire {ROUNDS}")
    return f"({' && '.join(lines)}) 2>&1"


def _pfmparse(*arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _periods(path: Path) -> list[tuple[int, int]]:
    """Return time and period of each sample, in their order."""
    samples = _pfmparse("dump", "--json", str(path))
    return sorted((s["tstamp"], -s["last_reset_val"] % 2**64) for s in samples)


def check_cycles(out: Path) -> None:
    """Check that samples come at the frequency, and stand for all that was counted."""
    path = out / "often.cap"
    samples = _periods(path)
    late = samples[int(len(samples) * EARLY) :]
    seconds = (late[-1][0] - late[0][0]) / 1e9
    assert abs(len(late) / seconds / HZ - 1) < 0.1
    right = CYCLES_A_SECOND / HZ
    assert abs(statistics.median(period for _, period in late) / right - 1) < 0.1
    # Periods tell where each sample's events began: without gaps, but where one was
    # cut short.
    whole = sum(period for _, period in late[1:])
    assert abs(whole / (CYCLES_A_SECOND * seconds) - 1) < 0.05
    (described,) = _pfmparse("info", "--json", str(path))
    assert [event["frequency"] for event in described["events"]] == [HZ, None]


def check_faults(out: Path) -> None:
    """Check that an event that is too frequent for the first period gets a longer."""
    periods = [period for _, period in _periods(out / "faults.cap")]
    assert periods[0] == 1
    assert max(periods) > 10
