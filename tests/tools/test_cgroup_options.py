# SPDX-License-Identifier: MIT OR GPL-2.0
"""Control groups whose samples are to be shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from pfmon import SAMPLING, Pfmon, complaint_of, without_kernel
from sessions import EVENTS, Printer

EVERYWHERE = ("--system-wide", *SAMPLING)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((*EVERYWHERE, "--cgroup="), "--cgroup: it is empty; give a control group"),
        ((*EVERYWHERE, "--cgroup=,"), "--cgroup: it is empty; give a control group"),
        ((*SAMPLING, "--cgroup=/a", "true"), "--cgroup needs --system-wide"),
        (("--system-wide", "--cgroup=/a"), "--cgroup is for sampling: counts of a CPU"),
        (("top", "--cgroup=/a", "true"), "--cgroup needs --system-wide"),
        (
            (*EVERYWHERE, "--cgroup=/a", "--smpl-ip-only"),
            "--cgroup needs the process of each sample",
        ),
    ],
)
def test_usage_errors_say_what_is_wrong(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, arguments)


def test_capture_asks_for_them(printer: Printer) -> None:
    everywhere = (*EVENTS, "--system-wide")
    assert "cgroups" not in printer.session(*everywhere)
    options = ("--cgroup=/a,/b*", "--cgroup=/c")
    assert printer.session(*everywhere, *options)["cgroups"] == ["/a", "/b*", "/c"]


def said_of(pfmon: Pfmon, group: str) -> str:
    """Return what is said before it turns out that nothing can be measured."""
    without_kernel()
    return pfmon(*EVERYWHERE, "--session-timeout=1", f"--cgroup={group}").stderr


def test_group_without_processes_is_told_of(pfmon: Pfmon) -> None:
    said = said_of(pfmon, "/none,/nobody-is-here")
    assert said.startswith(
        "pfmon: no process is in the control group /none,/nobody-is-here now; it is "
        "selected as soon as one is. There are processes in /"
    )


def test_groups_above_and_patterns_are_those_of_processes(pfmon: Pfmon) -> None:
    lines = Path("/proc/self/cgroup").read_text("utf-8").splitlines()
    # In the root of one hierarchy it may be deeper in another.
    own = max(line.split(":", 2)[2] for line in lines)
    for group in ("/", f"/none,{own}", "/*", f"{own[:-1]}?"):
        assert "control group" not in said_of(pfmon, group)
