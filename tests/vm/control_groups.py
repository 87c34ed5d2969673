# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure control groups while other processes use the same CPUs."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path

import following
from boot import Boot

GROUP = "/busy"
DIRECTORY = f"/sys/fs/cgroup{GROUP}"
CAPTURE = "group.cap"
SWITCHES = "group_switches.cap"
SCRIPT = Path(__file__).with_name("control_groups.sh")
NAMED = ("/high", "/high/low", "/other", "/other", "/")


def command() -> str:
    """Return the command that samples the group while two programs run, one in it."""
    inside = f"(echo 0 >{DIRECTORY}/cgroup.procs; exec hotloops 300 >/dev/null)"
    both = f"{inside} & hotloops 300 >/dev/null; wait"
    sample = f"pfmon --system-wide --cgroup={GROUP} -e cpu-clock --smpl-entries=16"
    sample += f" --long-smpl-periods=1000000 -o /out/{CAPTURE}"
    calls = "family forks 3 2"
    both_call = f"(echo 0 >{DIRECTORY}/cgroup.procs; exec {calls}) & "
    both_call += f"{calls} >/dev/null; wait"
    count = f"pfmon --system-wide --aggregate-results -e {following.EVENT} --cgroup="
    lines = [
        f"mkdir {DIRECTORY}",
        f"{sample} sh -c '{both}'",
        "echo counts:",
        f"{count}{GROUP} sh -c '{both_call}'",
        f"rmdir {DIRECTORY}",
        f"! {count}{GROUP} true",
        f"! {count}/.. true",
    ]
    several = SCRIPT.read_text("utf-8")
    return f"({' && '.join(lines)} && {{\n{several}}}) 2>&1"


def check(boot: Boot) -> None:
    """Fail the test unless the group's samples and counts are complete."""
    printed = boot.printed("group")
    assert boot.command("group") == 0, printed
    counted = printed.partition("counts:")[2].partition("once:")[0]
    assert following.counts(counted) == [following.expected(counted)] != [0], counted
    missing = f"pfmon: cannot open the control group {GROUP}: "
    assert f"{missing}{DIRECTORY}: No such file or directory" in counted
    assert "pfmon: --cgroup=/.. is not a control group, or has been removed" in counted
    # The group is empty at first.
    assert f"no process is in the control group {GROUP} yet" in printed
    capture = boot.out / CAPTURE
    info = following.pfmparse("info", capture)
    assert info["cgroups"] == [GROUP]
    of_group = following.pfmparse("report", "--by", "cgroup", capture)
    assert [row["key"] for row in of_group["rows"]] == [GROUP]
    whole = following.pfmparse("report", "--by", "cgroup", "--cgroup=/", capture)
    assert whole["total"] == info["samples"]
    assert {GROUP, "/command"} <= {row["key"] for row in whole["rows"]}


def _calls(printed: str, group: str) -> int:
    """Return the number of calls that programs in the group or below it have made."""
    found = re.findall(rf"^{group}(?:/\S+)? calls: (\d+)$", printed, re.MULTILINE)
    return sum(map(int, found))


def check_several(boot: Boot) -> None:
    """Fail the test unless the counts of several groups are exact."""
    printed = boot.printed("group")
    assert boot.command("group") == 0, printed
    whole, parts, rest = re.split("once:|intervals:|samples:", printed)[1:]
    counted = json.loads((boot.out / "groups.json").read_text("utf-8"))
    assert [row["cgroup"] for row in counted["rows"]] == [*NAMED]
    found = [row["events"][0]["count"] for row in counted["rows"]]
    expected = [_calls(whole, group) for group in NAMED[:-1]]
    assert found[:-1] == expected and min(expected) > 0, whole
    assert found[0] > found[1]
    assert found[-1] >= found[0] + found[2] + following.expected(whole)
    sums: Counter[str] = Counter()
    with (boot.out / "groups.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    for row in rows:
        sums[row["cgroup"]] += int(row["count"])
    assert sums["/high"] == _calls(parts, "/high") > 0
    # The group is named twice.
    assert sums["/other"] == 2 * _calls(parts, "/other") > 0
    assert len({row["time"] for row in rows}) > 1
    labels = [line.split("  ")[0] for line in rest.splitlines()]
    start = labels.index("control group")
    assert labels[start + 1 : start + 1 + len(NAMED)] == [*NAMED]
    assert "pfmon: --cgroup=/,/..: one of these is not a control group" in rest


def check_limited(boot: Boot) -> None:
    """Fail the test unless counting resumes after perfmon has limited overflows."""
    assert "pfmon: limit reached: " in boot.printed("group")
    with (boot.out / "limited.csv").open(encoding="utf-8") as file:
        found = [
            int(row["count"]) for row in csv.DictReader(file) if row["cgroup"] == "/"
        ]
    assert len(found) > 1 and all(found), found


def check_switches(boot: Boot) -> None:
    """Fail the test unless each switch is counted before it is sampled."""
    capture = boot.out / SWITCHES
    told = following.pfmparse("report", "--by", "group", "--of", "pmd1", capture)
    rows = told["rows"]
    assert len(rows) > 2
    assert [row["count"] for row in rows] == [row["weight"] for row in rows]
