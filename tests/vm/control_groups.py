# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure one control group while other processes use the same CPUs."""

from __future__ import annotations

import following
from boot import Boot

GROUP = "/busy"
DIRECTORY = f"/sys/fs/cgroup{GROUP}"
CAPTURE = "group.cap"


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
    return f"({' && '.join(lines)}) 2>&1"


def check(boot: Boot) -> None:
    """Fail the test unless the group's samples and counts are complete."""
    printed = boot.printed("group")
    assert boot.command("group") == 0, printed
    counted = printed.partition("counts:")[2]
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
