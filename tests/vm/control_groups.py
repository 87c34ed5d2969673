# SPDX-License-Identifier: MIT OR GPL-2.0
"""Samples of one control group among everything that a guest's CPUs do."""

from __future__ import annotations

import following
from boot import Boot

GROUP = "/busy"
DIRECTORY = f"/sys/fs/cgroup{GROUP}"
CAPTURE = "group.cap"


def command() -> str:
    """Return the command that samples two programs, one of them in the group."""
    inside = f"(echo 0 >{DIRECTORY}/cgroup.procs; exec hotloops 300 >/dev/null)"
    both = f"{inside} & hotloops 300 >/dev/null; wait"
    sample = f"pfmon --system-wide --cgroup={GROUP} -e cpu-clock --smpl-entries=16"
    sample += f" --long-smpl-periods=1000000 -o /out/{CAPTURE}"
    lines = [f"mkdir {DIRECTORY}", f"{sample} sh -c '{both}'", f"rmdir {DIRECTORY}"]
    return f"({' && '.join(lines)}) 2>&1"


def check(boot: Boot) -> None:
    """Fail the test unless the group's samples are shown and complete."""
    printed = boot.printed("group")
    assert boot.command("group") == 0, printed
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
