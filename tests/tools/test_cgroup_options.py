# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the option --cgroup."""

from __future__ import annotations

from pathlib import Path

import pytest
from namespaces import run_with
from pfmon import ERROR, SAMPLING, Pfmon, complaint_of, without_kernel
from sessions import EVENTS, Printer

SETS = ("-e", "cpu-clock", "-e", "page-faults", "--switch-timeout=10")
EVERYWHERE = ("--system-wide", *SAMPLING)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((*EVERYWHERE, "--cgroup="), "--cgroup: the list is empty: give a control"),
        ((*EVERYWHERE, "--cgroup=,"), "--cgroup: the list is empty: give a control"),
        ((*SAMPLING, "--cgroup=/a", "true"), "--cgroup needs --system-wide"),
        (("--system-wide", "--cgroup=/a*"), "--cgroup=/a*: wildcards only select samp"),
        (
            ("--system-wide", "--cgroup=/a,/b", *SETS),
            "--cgroup=/a,/b: several control groups need a single event set",
        ),
        (
            ("--system-wide", "--cgroup=/a,/b", "-e", ",".join(32 * ["cpu-clock"])),
            "--cgroup=/a,/b: fewer than 32 events can be counted for several",
        ),
        (
            ("--system-wide", "--cgroup=/a,/b", "-e", "a", "--excl-idle"),
            "several control groups cannot be counted with --excl-idle",
        ),
        (("top", "--cgroup=/a", "true"), "--cgroup needs --system-wide"),
        (
            (*EVERYWHERE, "--cgroup=/a", "--smpl-ip-only"),
            "--cgroup needs the process ID of each sample",
        ),
    ],
)
def test_cgroup_option_usage_errors(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, arguments)


def test_capture_stores_selected_cgroups(printer: Printer) -> None:
    everywhere = (*EVENTS, "--system-wide")
    assert "cgroups" not in printer.session(*everywhere)
    options = ("--cgroup=/a,/b*", "--cgroup=/c")
    assert printer.session(*everywhere, *options)["cgroups"] == ["/a", "/b*", "/c"]


def said_of(pfmon: Pfmon, group: str) -> str:
    """Return pfmon's messages about a group, on a machine without perfmon."""
    without_kernel()
    return pfmon(*EVERYWHERE, "--session-timeout=1", f"--cgroup={group}").stderr


def test_empty_control_group_is_reported(pfmon: Pfmon) -> None:
    said = said_of(pfmon, "/none,/nobody-is-here")
    assert said.startswith(
        "pfmon: no process is in the control group /none,/nobody-is-here yet; "
        "processes that join it later are selected. Groups with processes: /"
    )


def test_parent_cgroups_and_patterns_match(pfmon: Pfmon) -> None:
    lines = Path("/proc/self/cgroup").read_text("utf-8").splitlines()
    # Take the longest path, because a process can be in the root of one hierarchy and
    # in a group of another.
    own = max(line.split(":", 2)[2] for line in lines)
    for group in ("/", f"/none,{own}", "/*", f"{own[:-1]}?"):
        assert "control group" not in said_of(pfmon, group)


@pytest.mark.parametrize(
    ("mounted", "groups", "complaint"),
    [
        ("cgroup", "/", "needs a cgroup v2 file system, and none is mounted: run "),
        ("cgroup2", "/none", "cannot open the control group /none: {}/none: No such"),
        pytest.param(
            *("cgroup2", ",".join(64 * "/")),
            "at most 63 control groups can be counted",
            id="too-many",
        ),
    ],
)
def test_countable_cgroups_are_open_directories(
    pfmon: Pfmon, tmp_path: Path, mounted: str, groups: str, complaint: str
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"none {tmp_path} {mounted} rw 0 0\n")
    options = ("--dry-run", "-e", "cpu-clock", "--system-wide", f"--cgroup={groups}")
    run = run_with({"/proc/$$/mounts": mounts}, pfmon.program, *options)
    assert run.returncode == ERROR
    assert complaint.format(tmp_path) in run.stderr
