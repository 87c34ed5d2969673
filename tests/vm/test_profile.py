# SPDX-License-Identifier: MIT OR GPL-2.0
"""Profiles from end to end: pfmon in a guest, its captures, pfmparse on the host.

hotloops does the same work in three functions in the ratio 6:3:1, and so must the
profiles be, whatever is sampled and however the session is attached. One boot for each
kernel makes all captures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "tests/vm/run"
EXPECTED = {"hot_sixty": 60.0, "hot_thirty": 30.0, "hot_ten": 10.0}
TOLERANCE = 3.0
PERIOD = 100_000
MIN_PERCENT = 90.0
# Fewer than these would make a profile by chance.
MIN_SAMPLES = 500
CPUS = (0, 1)


@dataclass(frozen=True)
class Target:
    """A kernel, what is sampled on it, and how long hotloops runs there."""

    arch: str
    series: str
    event: str
    rounds: int

    def __str__(self) -> str:
        return f"{self.arch}-{self.series}"


X86_64 = [Target("x86_64", series, "cpu-clock", 2000) for series in ("6.1", "6.12")]
TARGETS = [*X86_64, Target("arm64", "6.1", "cycles", 200)]
Captures = Callable[[Target], Path]


def _script(target: Target) -> str:
    """Return the shell script that makes the captures in a guest."""
    sample = f"pfmon -e {target.event} --long-smpl-periods={PERIOD}"
    work = f"hotloops {target.rounds}"
    lines = [
        "set -e",
        f"{sample} -o /out/command.cap {work}",
        # pfmon ends with the thread that it is attached to.
        f"{work} & {sample} -o /out/attached.cap --attach-task $!",
    ]
    if target in X86_64:
        pinned = " & ".join(f"taskset -c {cpu} {work}" for cpu in CPUS)
        # Often full: that is when pfmon reads the mappings of who was sampled.
        system = f"{sample} --smpl-entries=256 -o /out/system.cap --system-wide"
        lines.append(f"{system} sh -c '{pinned}; wait'")
    return "\n".join(lines)


@pytest.fixture(scope="session")
def captures_of(tmp_path_factory: pytest.TempPathFactory) -> Captures:
    """Return the directory of a target's captures; boots it when first asked."""
    made: dict[Target, Path] = {}

    def get(target: Target) -> Path:
        if target not in made:
            out = tmp_path_factory.mktemp(str(target))
            where = ("--arch", target.arch, "--kernel", target.series)
            done = subprocess.run(
                [RUN, *where, "--out", out, "--", "sh", "-c", _script(target)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
                text=True,
            )
            assert done.returncode == 0, done.stdout
            made[target] = out
        return made[target]

    return get


def _rows(target: Target, capture: Path, by: str) -> list[dict[str, Any]]:
    """Return the rows of a capture's report."""
    symfs = ROOT / "build" / target.arch
    report_by = ("report", "--json", "--by", by, "--symfs", symfs)
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", *report_by, capture],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        stdout=subprocess.PIPE,
        check=True,
    )
    report = json.loads(done.stdout)
    assert not report["truncated"] and not report["problems"]
    assert report["lost"] == 0
    rows: list[dict[str, Any]] = report["rows"]
    return rows


def _check_shares(target: Target, capture: Path) -> None:
    """Compare the shares of the three functions in what hotloops did."""
    rows = _rows(target, capture, "function")
    hot = {row["symbol"]: row["count"] for row in rows if row["symbol"] in EXPECTED}
    total = sum(hot.values())
    assert total >= MIN_SAMPLES
    shares = {name: 100 * count / total for name, count in hot.items()}
    assert shares == pytest.approx(EXPECTED, abs=TOLERANCE)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_command(target: Target, captures_of: Captures) -> None:
    capture = captures_of(target) / "command.cap"
    _check_shares(target, capture)
    # Little else is in a command's profile: the loader, and what calls the three.
    rows = _rows(target, capture, "function")
    percent = sum(row["percent"] for row in rows if row["symbol"] in EXPECTED)
    assert percent > MIN_PERCENT


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_attached_task(target: Target, captures_of: Captures) -> None:
    _check_shares(target, captures_of(target) / "attached.cap")


@pytest.mark.parametrize("target", X86_64, ids=str)
def test_system_wide_on_two_cpus(target: Target, captures_of: Captures) -> None:
    capture = captures_of(target) / "system.cap"
    _check_shares(target, capture)
    samples = {row["key"]: row["count"] for row in _rows(target, capture, "cpu")}
    assert set(samples) == set(CPUS)
    assert min(samples.values()) >= MIN_SAMPLES
