# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure with event sets and on chosen CPUs: commands for a guest, and checks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

from boot import ROOT

# Set 0 is switched after 3 overflows, set 1 after 5.
OVERFLOWS = (3, 5)
ABSENT_CPU = 7
EVERYWHERE = "pfmon --system-wide"
# The sampling periods of cycles and instructions. The first is shorter than a set's
# turn; the second spans several turns.
PERIODS = (70000, 1000000)
# The number of rounds of hotloops, by architecture.
ROUNDS = {"arm64": 30, "x86_64": 300}


def command(arch: str) -> str:
    """Return the command that samples and counts with event sets."""
    lines = _turns(arch)
    if arch == "arm64":
        lines.append(_hardware(arch))
    return f"({' && '.join(lines)}) 2>&1"


def command_for_cpus(arch: str) -> str:
    """Return the command that measures each event on one or both of two CPUs."""
    return f"({' && '.join(_cpus(arch))}) 2>&1"


def _work(arch: str) -> str:
    return f"hotloops {ROUNDS[arch]} >/dev/null"


def _turns(arch: str) -> list[str]:
    periods = "--long-smpl-periods=1000000"
    left = "--switch-overflow=" + ",".join(map(str, OVERFLOWS))
    two = "-e cpu-clock -e task-clock"
    turns = "--switch-timeout=8 -e cpu-clock,page-faults -e task-clock"
    idle = f"{EVERYWHERE} --cpu-list=0 -e cpu-clock"
    return [
        f"pfmon {left} {two} {periods},1000000 -o /out/left.cap {_work(arch)}",
        f"pfmon {turns} {periods},,1000000 -o /out/turns.cap {_work(arch)}",
        # Sleep because the idle CPU is measured.
        f"{idle} -o /out/all sleep 1",
        f"{idle} --excl-idle -o /out/busy sleep 1",
    ]


def _hardware(arch: str) -> str:
    """Return a command in which each set samples an event and also counts it."""
    turns = "--switch-timeout=4 -e cycles,cycles -e instructions,instructions"
    periods = "--long-smpl-periods={},,{}".format(*PERIODS)
    return f"pfmon {turns} {periods} -o /out/hardware.cap {_work(arch)}"


def _cpus(arch: str) -> list[str]:
    events = "cpu-clock@0,page-faults@1,context-switches"
    sampled = "-e cpu-clock@0,page-faults,task-clock@1"
    sampled += " --long-smpl-periods=1000000,,1000000"
    turns = "--switch-timeout=4 -e cpu-clock@0 -e task-clock"
    return [
        f"{EVERYWHERE} -e {events} -o /out/cpus true",
        f"{EVERYWHERE} -e cpu-clock@1 -o /out/one true",
        # Sleep because the sets must switch several times.
        f"{EVERYWHERE} {turns} -o /out/own sleep 0.1",
        f"{EVERYWHERE} {sampled} -o /out/cpus.cap {_work(arch)}",
        f"! {EVERYWHERE} -e cpu-clock@{ABSENT_CPU} true",
        f"! {EVERYWHERE} --cpu-list=0 -e cpu-clock@0-1 true",
    ]


def _pfmparse(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "pfmparse", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _dump(path: Path) -> list[Any]:
    lines = _pfmparse("dump", "--json", str(path)).splitlines()
    return [json.loads(line) for line in lines]


def _info(path: Path) -> Any:
    return json.loads(_pfmparse("info", "--json", str(path)))


def check_overflows(out: Path) -> None:
    """Check that sets are switched after the requested number of overflows."""
    samples = _dump(out / "left.cap")
    groups = [(number, len(list(some))) for number, some in groupby(samples, _set_of)]
    assert len(groups) > 2, samples
    expected = [(i % 2, OVERFLOWS[i % 2]) for i in range(len(groups))]
    # The last turn is shorter because the program ends during it.
    assert groups[:-1] == expected[:-1]
    assert groups[-1][0] == expected[-1][0] and groups[-1][1] <= expected[-1][1]


def _set_of(sample: Any) -> Any:
    return sample["set"]


def check_turns(out: Path) -> None:
    """Check that each set's samples have the set's event and its recorded PMDs."""
    samples = _dump(out / "turns.cap")
    assert {sample["set"] for sample in samples} == {0, 1}
    for sample in samples:
        assert sample["ovfl_pmd"] == 0
        assert list(sample["pmds"]) == ([] if sample["set"] else ["1"])
    rows = json.loads(
        _pfmparse("report", "--json", "--by", "pmd", str(out / "turns.cap"))
    )["rows"]
    assert {(row["set"], row["event"]) for row in rows} == {
        (0, "cpu-clock"),
        (1, "task-clock"),
    }
    described = _info(out / "turns.cap")
    runs = {turns["set"]: turns["runs"] for turns in described["turns"]}
    # The sets alternate, so the first set runs at most once more than the second.
    assert runs[0] > 1 and 0 <= runs[0] - runs[1] <= 1
    # No set is active during a switch, so the sets' active times add up to less than
    # the whole time.
    active = sum(turns["active_ns"] for turns in described["turns"])
    assert all(turns["whole_ns"] > active for turns in described["turns"])
    counts = [(c["set"], c["pmd"], c["event"]) for c in described["counts"]]
    assert counts == [
        *((0, 0, "cpu-clock"), (0, 1, "page-faults"), (1, 0, "task-clock"))
    ]


def check_hardware(out: Path) -> None:
    """Check that the numbers of samples match the counts if sets take turns."""
    described = _info(out / "hardware.cap")
    sets = [sample["set"] for sample in _dump(out / "hardware.cap")]
    cycles, instructions = (c["value"] for c in described["counts"] if c["pmd"] == 1)
    assert min(turns["runs"] for turns in described["turns"]) > 3
    # A period that is incomplete at the end of a turn continues in the set's next turn,
    # so the periods add up to nearly all cycles. Some cycles are missing: if an
    # overflow is reported late, the next period starts only then.
    assert 0.9 * cycles < (sets.count(0) + 1) * PERIODS[0] <= cycles + PERIODS[0]
    # In loops in user space, QEMU reports many overflows only at the next tick. So
    # check only that the periods do not exceed the count.
    assert (sets.count(1) + described["lost"]) * PERIODS[1] <= instructions


def check_idle(out: Path) -> None:
    """Check that --excl-idle leaves out the time in which the CPU is idle."""
    idle, busy = (int((out / name).read_text().split()[1]) for name in ("all", "busy"))
    assert busy < idle / 2


def _counted(path: Path) -> list[tuple[str, str]]:
    """Return the CPU and the event of each line."""
    lines = map(str.split, path.read_text().splitlines())
    return [(line[0], line[2]) for line in lines]


def check_cpus(out: Path, printed: str) -> None:
    """Check that events are measured on their own CPUs only."""
    assert _counted(out / "cpus") == [
        ("CPU0", "cpu-clock"),
        ("CPU0", "context-switches"),
        ("CPU1", "page-faults"),
        ("CPU1", "context-switches"),
    ]
    assert _counted(out / "one") == [("CPU1", "cpu-clock")]
    # If one set has no event on a CPU, the other set counts there all the time.
    shares = re.findall(r"^CPU(\d) .*counted (\S+) %", (out / "own").read_text(), re.M)
    assert [cpu for cpu, _ in shares] == ["0", "0", "1"]
    assert [share for cpu, share in shares if cpu == "1"] == ["100.00"]
    for number, measured in ((str(ABSENT_CPU), "0-1"), ("0-1", "0")):
        assert f"to CPUs {number}, but the measured CPUs are {measured}:" in printed
    described = _info(out / "cpus.cap")
    assert [event["cpus"] for event in described["events"]] == ["0", None, "1"]
    counts = [(count["context"], count["event"]) for count in described["counts"]]
    assert counts == [
        *((0, "cpu-clock"), (0, "page-faults")),
        *((1, "page-faults"), (1, "task-clock")),
    ]
    for sample in _dump(out / "cpus.cap"):
        assert sample["ovfl_pmd"] == 2 * sample["cpu"]
        assert list(sample["pmds"]) == ["1"]
