# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check pfmon in guests where it cannot measure or write as usual."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import following
import users
from boot import Boot

SCRIPT = Path(__file__).with_suffix(".sh")
SIGKILL, SIGPIPE = 9, 13
# The end of the error message that each of these parts of the script prints.
ERRORS = {
    "file-limit": "/tmp/limited.cap: File too large",
    "reader-ends": "/tmp/piped: Broken pipe",
    "reader-ends-counts": "/tmp/piped: Broken pipe",
    "reader-ends-stdout": "the counts: Broken pipe",
    "file-limit-cpu": "/tmp/limited.cap: File too large",
    "reader-ends-cpu": "/tmp/piped: Broken pipe",
}


def script() -> str:
    """Return the shell command that runs all parts of adverse.sh."""
    return f'AS_USER="{users.AS_USER}"; {following.script(SCRIPT)}'


def part(guest: Boot, name: str) -> tuple[str, int]:
    return following.part(guest, name, "adverse")


def command_goes_on_if_output_fails(guest: Boot, name: str) -> None:
    printed, _ = part(guest, name)
    lines = printed.splitlines()
    assert lines.count(f"pfmon: cannot write {ERRORS[name]}") == 1, printed
    assert "went on" in lines, printed
    if "counts" not in name and "stdout" not in name:
        assert re.search(r" samples, \d+ lost before the error, ", printed), printed
    # The measured command exits with status 3. pfmon exits with 1, because it cannot
    # write its output.
    assert lines[-1] == "status 1", printed


def signals_are_ignored_as_before(guest: Boot, name: str) -> None:
    printed, _ = part(guest, name)
    ignored = int(printed.split()[-1], 16)
    assert bool(ignored >> (SIGPIPE - 1) & 1) is (name == "pipe-ignored"), printed


def missing_proc_is_reported(guest: Boot, name: str) -> None:
    printed, status = part(guest, name)
    lines = printed.splitlines()
    assert lines[0].startswith("pfmon: /proc is not mounted, or belongs to another")
    assert status == 0
    if name != "no-proc-counts":
        assert re.search(r"^pfmon: \d+ samples, - lost, ", printed, re.M), printed
        assert lines[-1].startswith("pfmon: /proc could not be read: ")
        # In the /proc of the other PID namespace, the capture's PIDs belong to other
        # processes.
        info = following.pfmparse("info", guest.out / f"{name}.cap")
        assert (info["processes"], info["proc"]) == ([], "unreadable")


def new_programs_have_files_without_proc(guest: Boot) -> None:
    printed, status = part(guest, "no-proc-cpu")
    lines = printed.splitlines()
    assert "samples of the command, and of programs that were already" in lines[0]
    assert lines[-1].startswith(
        "pfmon: /proc could not be read: samples of the command, and of programs"
    )
    assert status == 0
    capture = guest.out / "no-proc-cpu.cap"
    assert following.pfmparse("info", capture)["proc"] == "unreadable"
    report = following.pfmparse("report", "--user", "--by", "image", capture)
    assert any(row["key"].startswith("/") for row in report["rows"]), report


def kernel_thread_cannot_be_traced(guest: Boot) -> None:
    printed, status = part(guest, "kernel-thread")
    assert "cannot trace process 2: it is a kernel thread;" in printed
    assert status == 1


def command_outlives_pfmon_without_memory(guest: Boot) -> None:
    printed, _ = part(guest, "out-of-memory")
    lines = printed.splitlines()
    counts = [line for line in lines if line.startswith("references: ")]
    before, after = counts[: len(counts) // 2], counts[len(counts) // 2 :]
    killed = ["Killed", f"status {128 + SIGKILL}", "went on", "oom_kill 1"]
    assert lines[:-1] == [*before, *killed, *after], printed
    # Nothing is left of the context: the modules are not in use, and the user can lock
    # as much memory as before.
    assert before and before == after
    assert re.match(r"pfmon: \d+ samples, 0 lost, .* -> /tmp/again.cap$", lines[-1])
    info = following.pfmparse("info", guest.out / "out-of-memory.cap")
    assert info["truncated"] and info["samples"] > 100


CHECKS: dict[Callable[..., None], Iterable[str]] = {
    command_goes_on_if_output_fails: ERRORS,
    missing_proc_is_reported: ("no-proc", "no-proc-counts", "other-proc"),
    kernel_thread_cannot_be_traced: (),
    new_programs_have_files_without_proc: (),
    signals_are_ignored_as_before: ("default", "pipe-ignored"),
    command_outlives_pfmon_without_memory: (),
}


def cases() -> dict[str, Callable[[Boot], None]]:
    """Return all checks by name."""
    return following.cases_of(CHECKS)
