# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test where a command that pfmon traces stops, and its exit status."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


def run(programs: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [programs / "command_runner", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def lines(programs: Path, *command: str) -> list[str]:
    done = run(programs, *command)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("status", [0, 1, 77])
def test_exit_status_of_command_is_returned(programs: Path, status: int) -> None:
    stops = lines(programs, "sh", "-c", f"exit {status}")
    assert stops == ["launched", "exit", f"{status}"]


@pytest.mark.parametrize(("signal", "status"), [("TERM", "143"), ("KILL", "137")])
def test_command_status_has_terminating_signal(
    programs: Path, signal: str, status: str
) -> None:
    assert lines(programs, "sh", "-c", f"kill -{signal} $$")[-1] == status


def test_command_stops_after_second_exec(programs: Path) -> None:
    stops = lines(programs, "sh", "-c", "exec true")
    assert stops == ["launched", "exec", "exit", "0"]


def test_handled_signals_reach_command(programs: Path) -> None:
    script = "trap 'exit 5' USR1; kill -USR1 $$; exit 6"
    assert lines(programs, "sh", "-c", script)[-1] == "5"


def test_command_inherits_original_signal_mask(programs: Path) -> None:
    stops = lines(programs, "grep", "SigBlk", "/proc/self/status")
    assert "SigBlk:\t0000000000000000" in stops


def test_unexecutable_command_is_reported(programs: Path) -> None:
    done = run(programs, "/no/such/command")
    assert done.returncode == 1
    assert "launched" not in done.stdout
    assert "cannot run /no/such/command: No such file" in done.stderr


def test_detached_command_is_untraced(programs: Path) -> None:
    script = "while grep -q 'TracerPid:.*[1-9]' /proc/$$/status; do :; done; exit 9"
    stops = lines(programs, "--detach", "sh", "-c", script)
    assert stops == ["launched", "9"]


def test_detached_command_keeps_pending_signal(programs: Path) -> None:
    script = "kill -TERM $$"
    assert lines(programs, "--detach", "sh", "-c", script)[-1] == "143"
