# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check how pfmon explains a measurement that the kernel refuses, and what it advises.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, auto
from pathlib import Path

import pytest

CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_PERFMON = 19, 21, 38
OWN_LEVEL = "/sys/module/perfmon/parameters/paranoid"


class Cause(IntEnum):
    """enum access_cause of access.h."""

    GRANTED = 0
    NO_NODE = auto()
    NODE = auto()
    GROUP = auto()
    LEVEL = auto()
    LEVEL_CPU = auto()
    LEVEL_KERNEL = auto()
    LOCKDOWN = auto()
    KERNEL_THREAD = auto()
    OTHER_USER = auto()
    GUARDED = auto()
    STOP = auto()


@dataclass(frozen=True)
class Refusal:
    """The result of access_judge."""

    cause: Cause
    reason: str
    advice: str
    command: str


# A function that runs access_judge. Its arguments are the facts that differ from the
# defaults in access_judge.c.
Judge = Callable[..., Refusal]


@pytest.fixture(name="judge")
def fixture_judge(programs: Path) -> Judge:
    def judge(*facts: str) -> Refusal:
        said = subprocess.run(
            [programs / "access_judge", *facts],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        return Refusal(Cause(int(said[0])), *said[1:])

    return judge


def cap(number: int) -> str:
    return f"caps={1 << number:#x}"


GRANTED = [
    (),
    ("level=1", "wish.kernel=1"),
    ("level=0", "kernel_level=0", "wish.kernel=1", "wish.system_wide=1"),
    ("level=-1", "kernel_level=-1", "wish.kernel=1", "wish.system_wide=1"),
    ("wish.thread=7",),
    ("wish.thread=7", "thread.exists=0", "thread.uid=0"),
    ("wish.thread=7", "wish.block=1"),
    (cap(CAP_PERFMON), "wish.kernel=1", "wish.system_wide=1"),
    (cap(CAP_PERFMON), "wish.thread=7", "thread.uid=0"),
    (cap(CAP_PERFMON), "wish.thread=2", "thread.kernel=1", "thread.uid=0"),
    (cap(CAP_SYS_ADMIN), "level=3", "wish.kernel=1", "wish.system_wide=1"),
    (cap(CAP_SYS_PTRACE), "wish.thread=7", "thread.uid=0", "wish.block=1"),
    ("locked_down=1",),
]


@pytest.mark.parametrize("facts", GRANTED, ids=" ".join)
def test_access_allows_permitted_sessions(judge: Judge, facts: tuple[str, ...]) -> None:
    assert judge(*facts) == Refusal(Cause.GRANTED, "-", "-", "-")


NOBODY = ("node_opens=0", "node.member=0")

REFUSED = [
    (Cause.NO_NODE, ("node_exists=0", *NOBODY)),
    (Cause.NODE, NOBODY),
    (Cause.NODE, (*NOBODY, "level=3", "wish.kernel=1")),
    (Cause.GROUP, ("threads.gid=5", "threads.member=0", "level=3")),
    (Cause.GROUP, ("cpus.gid=5", "cpus.member=0", "wish.system_wide=1")),
    (Cause.LEVEL, ("level=3",)),
    (Cause.LEVEL, ("level=4", "wish.kernel=1")),
    (Cause.LEVEL, ("level=3", cap(CAP_PERFMON))),
    (Cause.LEVEL_CPU, ("wish.system_wide=1", "wish.kernel=1")),
    (Cause.LEVEL_CPU, ("level=1", "wish.system_wide=1")),
    (Cause.LEVEL_CPU, ("level=0", "own_level=1", "wish.system_wide=1")),
    (Cause.LEVEL_KERNEL, ("wish.kernel=1",)),
    (Cause.LEVEL_KERNEL, ("wish.kernel=1", "wish.thread=7", "thread.uid=0")),
    (Cause.LOCKDOWN, ("wish.registers=1", "locked_down=1", cap(CAP_PERFMON))),
    (Cause.KERNEL_THREAD, ("wish.thread=2", "thread.kernel=1", "thread.uid=0")),
    (Cause.OTHER_USER, ("wish.thread=7", "thread.uid=0")),
    (Cause.OTHER_USER, ("wish.thread=7", "thread.uid=0", "wish.block=1")),
    (
        Cause.OTHER_USER,
        ("wish.thread=7", "thread.uid=0", "wish.block=1", cap(CAP_PERFMON)),
    ),
    (Cause.STOP, ("wish.thread=7", "wish.block=1", "ptrace_scope=1")),
]


@pytest.mark.parametrize("cause, facts", REFUSED, ids=str)
def test_access_reports_first_cause(
    judge: Judge, cause: Cause, facts: tuple[str, ...]
) -> None:
    refusal = judge(*facts)
    assert refusal.cause == cause
    assert refusal.reason != "-"


def test_missing_node_differs_from_unloaded_perfmon(judge: Judge) -> None:
    missing = judge("loaded=1", "node_exists=0", *NOBODY)
    assert missing.reason == "/dev/perfmon does not exist, although perfmon is loaded"
    assert (missing.advice, missing.command) == (
        "run pfmon doctor to see how to create it",
        "-",
    )
    absent = judge("node_exists=0", *NOBODY)
    assert absent.reason == "perfmon is not loaded"
    assert absent.command == "modprobe pfm_pmu_perf"


def test_missing_group_member_gets_usermod_command(judge: Judge) -> None:
    refusal = judge(*NOBODY)
    assert "/dev/perfmon is restricted to the group perfmon" in refusal.reason
    assert refusal.command == "usermod -aG perfmon alice"


def test_new_group_member_is_told_to_log_in(judge: Judge) -> None:
    refusal = judge(*NOBODY, "node.later=1")
    assert "log in again" in refusal.advice
    assert "newgrp" not in refusal.advice
    assert refusal.command == "-"


@pytest.mark.parametrize("facts", [("node.gid=0",), ("node_mode=0x180",)])
def test_node_without_group_gets_group_command(
    judge: Judge, facts: tuple[str, ...]
) -> None:
    command = judge(*NOBODY, *facts).command
    assert command == (
        "groupadd -rf perfmon && chgrp perfmon /dev/perfmon && chmod 660 /dev/perfmon"
    )


@pytest.mark.parametrize(
    "facts",
    [("node_opens=0",), (*NOBODY, "node_mode=0x1b6"), ("node_opens=0", "node.gid=0")],
)
def test_unexplained_node_error_has_no_command(
    judge: Judge, facts: tuple[str, ...]
) -> None:
    refusal = judge(*facts)
    assert refusal.cause == Cause.NODE
    assert "a security module" in refusal.reason
    assert refusal.command == "-"


@pytest.mark.parametrize("own", [0, 1])
def test_refusal_names_the_effective_paranoid_level(judge: Judge, own: int) -> None:
    refusal = judge("level=3", f"own_level={own}")
    names = ("kernel.perf_event_paranoid", "perfmon.paranoid")
    assert f"{names[own]} is 3" in refusal.reason
    assert refusal.command == f"echo 2 >{OWN_LEVEL}"


def test_system_wide_also_needs_perf_event_paranoid(judge: Judge) -> None:
    refusal = judge("level=0", "own_level=1", "wish.system_wide=1")
    assert "kernel.perf_event_paranoid is 2" in refusal.reason
    assert refusal.command == "sysctl kernel.perf_event_paranoid=0"


def test_kernel_level_refusal_suggests_user_level(judge: Judge) -> None:
    refusal = judge("wish.kernel=1")
    assert "-u" in refusal.advice
    assert refusal.command == f"echo 1 >{OWN_LEVEL}"


def test_blocking_needs_ptrace_capability(judge: Judge) -> None:
    thread = ("wish.thread=7", "thread.uid=0")
    assert "CAP_PERFMON" in judge(*thread).reason
    assert "CAP_SYS_PTRACE" in judge(*thread, "wish.block=1").reason


def test_starting_the_command_helps_at_ptrace_scope_1(judge: Judge) -> None:
    block = ("wish.thread=7", "wish.block=1")
    assert "let pfmon start" in judge(*block, "ptrace_scope=1").advice
    assert "let pfmon start" not in judge(*block, "ptrace_scope=2").advice


def test_ptrace_scope_3_cannot_be_lowered(judge: Judge) -> None:
    block = ("wish.thread=7", "wish.block=1")
    allow = "sysctl kernel.yama.ptrace_scope=0"
    assert judge(*block, "ptrace_scope=2").command == allow
    last = judge(*block, "ptrace_scope=3")
    assert (last.cause, last.command) == (Cause.STOP, "-")
    assert "ptrace_scope is 3" in last.reason
