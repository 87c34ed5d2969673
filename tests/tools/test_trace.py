# SPDX-License-Identifier: MIT OR GPL-2.0
"""Trace a command and its descendants, which must not notice the tracer."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

SECONDS = 120


def run(programs: Path, *command: str, **settings: str) -> list[str]:
    """Trace the program tests/family with these arguments; return the printed lines.

    The settings are added to trace_runner's environment.
    """
    return trace(programs, programs / "tests/family", *command, **settings)


def trace(programs: Path, *command: str | Path, **settings: str) -> list[str]:
    """Trace any program as run() does; return the printed lines."""
    done = subprocess.run(
        [programs / "trace_runner", *command],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def counted(threads: int, processes: int, execs: int = 0, renamed: int = 0) -> str:
    # The first process is not among the started ones, but is among those that ended.
    gone = 1 + threads + processes
    return (
        f"{threads} threads, {processes} processes, {gone} gone, "
        f"{execs} execs, {renamed} renamed"
    )


@pytest.mark.parametrize(
    ("what", "threads", "processes"),
    [
        ("forks 20 2", 0, 20),
        ("vforks 5", 0, 5),
        ("threads 1000 2", 1000, 0),
        ("series 100 1", 0, 100),
        ("killed 1 3", 0, 1),
        ("child 1 1", 0, 1),
    ],
)
def test_trace_counts_new_threads_and_processes(
    programs: Path, what: str, threads: int, processes: int
) -> None:
    assert run(programs, *what.split())[1:] == [counted(threads, processes), "0"]


def test_child_may_exit_before_fork_event(programs: Path) -> None:
    # waitpid() returns the stops of the youngest tracee first. With several parents, a
    # child can therefore start, and exit, before its parent's fork event is handled.
    family = f"{programs / 'tests/family'} series 20 1"
    script = f"{family} & {family} & {family} & wait"
    lines = trace(programs, "sh", "-c", script, SLOW="1")
    # If trace_runner expected a wrong child, it would wait for this child forever.
    assert lines[3:] == [counted(0, 63, 3), "0"]


def test_exec_of_thread_ends_first_thread(programs: Path) -> None:
    # Four threads end. The thread that called exec is now the only one, and ends last.
    assert run(programs, "thread-execs", "3", "2")[1:] == [counted(4, 0, 1, 1), "0"]


def test_signal_reaches_command_after_exec_of_thread(programs: Path) -> None:
    # The first thread ends, but the thread that calls exec gets its ID, so the command
    # has not ended.
    lines = run(programs, "thread-execs", "3", "2", SIGNAL="1")
    assert lines[1:] == [counted(4, 0, 1, 1), "143"]


def test_first_thread_may_end_first(programs: Path) -> None:
    assert run(programs, "leader-ends", "1", "2")[1:] == [counted(1, 0), "7"]


def test_parent_sees_its_child_stop_and_continue(programs: Path) -> None:
    assert run(programs, "stopped", "1", "3")[1:] == [counted(0, 1), "0"]


def test_exit_of_untraced_child_stays_waitable(
    programs: Path,
) -> None:
    lines = run(programs, "series", "3", "1", BYSTANDER="1")
    assert lines[1:] == [counted(0, 3), "0", "5"]


def test_fork_bomb_ends_at_its_limit(programs: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can become another user")
    calls, counts, status = run(programs, "bomb", "50", "2")
    made = int(calls.removeprefix("calls: ")) // 2
    assert 10 < made < 50
    assert (counts, status) == (counted(0, made), "0")


def test_trace_status_has_terminating_signal(programs: Path) -> None:
    assert run(programs, "dies") == [counted(0, 0), "143"]


def test_detached_processes_continue_untraced(programs: Path) -> None:
    # A process that was still traced would be killed when the tracer exits, or stay
    # stopped.
    assert run(programs, "child", "1", "4", DETACH="1")[0] == "calls: 4"
    daemon, counts, status = run(programs, "daemon", "30", "1", DETACH="1")
    pid = int(daemon.removeprefix("daemon: "))
    try:
        text = Path(f"/proc/{pid}/status").read_text("ascii")
        assert "TracerPid:\t0" in text
    finally:
        os.kill(pid, 9)
    assert status == "0" and counts.startswith("0 threads, ")


@pytest.mark.parametrize("where", ["armed", "reached"])
def test_program_detached_near_entry_survives(programs: Path, where: str) -> None:
    lines = trace(programs, "sh", "-c", "exit 7", DETACH="1", ENTRY=where)
    assert lines == [counted(0, 0), "7"]


@pytest.mark.parametrize("option", ["--block-signal=TRAP", "--ignore-signal=TRAP"])
def test_entry_stop_keeps_inherited_sigtrap(programs: Path, option: str) -> None:
    runner = str(programs / "trace_runner")
    done = subprocess.run(
        ["env", option, runner, "sh", "-c", "kill -TRAP $$; exit 7"],
        env={**os.environ, "DETACH": "1", "ENTRY": "reached"},
        stdout=-1,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.stdout.splitlines() == [counted(0, 0), "7"]


def test_detached_program_with_pending_trap_survives(programs: Path) -> None:
    program = programs / "trap_pender"
    lines = trace(programs, program, DETACH="1", ENTRY="pending")
    assert lines == [counted(0, 0), "7"]


def test_program_that_blocks_trap_is_detached(programs: Path) -> None:
    command = (programs / "trap_pender", "blocked")
    assert trace(programs, *command, DETACH="1", ENTRY="pending")[1] == "7"


def test_refusal_names_other_tracer(programs: Path) -> None:
    runner = programs / "trace_runner"
    done = subprocess.run([runner, runner, "true"], stderr=-1, text=True, check=False)
    said = r"pfmon: cannot trace the command: process \d+ \(trace_runner\) traces it "
    assert re.fullmatch(f"{said}already\n", done.stderr)
