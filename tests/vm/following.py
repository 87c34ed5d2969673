# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check what pfmon measured when it followed threads and processes in a guest.

The counts must be exact: the program "family" prints the number of its getppid() calls.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from boot import ROOT, Boot

SCRIPT = Path(__file__).with_name("follow.sh")
PARTS = SCRIPT.with_name("parts.sh")
EVENT = "syscalls:sys_enter_getppid"
COUNT = re.compile(rf"^ *(?:(\S+)-(\d+) +)?(\d+) {EVENT}$", re.MULTILINE)
PERIOD = 10


def script(file: Path = SCRIPT) -> str:
    """Return the command that runs parts.sh and then a script, in one subshell."""
    return f"({PARTS.read_text('utf-8')}\n{file.read_text('utf-8')})"


def part(guest: Boot, name: str, script_name: str = "follow") -> tuple[str, int]:
    """Return the output and the exit status of one part of the script."""
    assert guest.command(script_name) is not None, guest.errors()
    printed = guest.printed(script_name)
    found = re.search(rf"^-- {name}\n(.*?)^=> (\d+)$", printed, re.DOTALL | re.M)
    assert found, printed
    return found[1], int(found[2])


def counts(text: str) -> list[int]:
    return [int(found[3]) for found in COUNT.finditer(text)]


def expected(text: str) -> int:
    """Return the sum of the numbers of calls that "family" has printed."""
    return sum(map(int, re.findall(r"^calls: (\d+)$", text, re.MULTILINE)))


EXACT = {
    "forks": 0,
    "vforks": 0,
    "threads": 0,
    "thread-execs": 0,
    "leader-ends": 7,
    "killed": 0,
    "stopped": 0,
    "series": 0,
    "bomb": 0,
    "child": 0,
}


def followed_calls_are_all_counted(guest: Boot, name: str) -> None:
    printed, ended = part(guest, name)
    assert counts(printed) == [expected(printed)], printed
    assert expected(printed) > 0
    assert ended == EXACT[name]


INHERITED = "inherited-"


def inherited_calls_are_all_counted(guest: Boot, name: str) -> None:
    printed, ended = part(guest, name)
    assert counts(printed) == [expected(printed)], printed
    assert ended == EXACT[name.removeprefix(INHERITED)]


EACH = "each-"


def each_inherited_call_is_sampled(guest: Boot, name: str) -> None:
    printed, ended = part(guest, name)
    info = pfmparse("info", guest.out / f"{name}.cap")
    assert (info["samples"], info["lost"]) == (expected(printed), 0), printed
    assert ended == EXACT.get(name.removeprefix(EACH), 0)
    assert info["process_events"] == {"error": None, "lost": 0}


def threads_beyond_family_max_are_reported(guest: Boot) -> None:
    printed, _ = part(guest, "few-members")
    assert counts(printed) == [3 * 5], printed
    assert "pfmon: cannot measure 7 threads: " in printed


def unfollowed_children_are_not_counted(guest: Boot, name: str) -> None:
    printed, status = part(guest, name)
    assert (counts(printed), expected(printed), status) == ([0], 15, 0)


def child_of_exited_parent_is_counted(guest: Boot) -> None:
    printed, status = part(guest, "orphans")
    assert (counts(printed), expected(printed), status) == ([5] * 5, 25, 0)


def session_timeout_does_not_wait_for_children(guest: Boot) -> None:
    printed, status = part(guest, "timed-out")
    assert printed.endswith("left\n") and len(counts(printed)) == 1, printed
    assert status == 128 + 15


def status_reports_fatal_signal(guest: Boot) -> None:
    assert part(guest, "dies")[1] == 128 + 15


def signal_reaches_command_after_thread_exec(guest: Boot) -> None:
    printed, status = part(guest, "signal-after-exec")
    assert status == 128 + 15, printed


def signal_reaches_children_of_command(guest: Boot) -> None:
    printed, status = part(guest, "terminated")
    assert "handled" in printed and "survived" not in printed, printed
    assert status == 5


def each_run_has_pfmon_resource_limits(guest: Boot) -> None:
    printed, status = part(guest, "descriptors")
    assert (printed.splitlines().count("100"), status) == (2, 0), printed


def end_of_viewer_is_not_a_failure(guest: Boot) -> None:
    printed, status = part(guest, "watched")
    assert status == 0, printed


def daemon_is_counted_without_waiting(guest: Boot) -> None:
    printed, status = part(guest, "daemon")
    # The count may be too low, because pfmon may end before the daemon's last call.
    assert len(counts(printed)) == 1 and status == 0


def threads_above_limit_are_reported(guest: Boot) -> None:
    printed, status = part(guest, "limited")
    found = re.search(r"^pfmon: cannot measure (\d+) threads?: (.*)$", printed, re.M)
    assert found, printed
    assert "Too many open files" in found[2]
    assert counts(printed) == [expected(printed) - int(found[1])]
    assert status == 0


def counts_are_printed_per_thread_or_process(guest: Boot, name: str) -> None:
    rows = COUNT.findall(part(guest, name)[0])
    assert sorted(int(row[2]) for row in rows) == [0, 2, 2, 2]
    assert {row[0] for row in rows} == {"family"}
    assert len({row[1] for row in rows}) == 4


def killed_thread_has_name(guest: Boot) -> None:
    rows = COUNT.findall(part(guest, "killed-by-thread")[0])
    assert [(row[0], int(row[2])) for row in rows] == [("family", 5), ("family", 0)]


def process_counts_do_not_accumulate(guest: Boot) -> None:
    rows = COUNT.findall(part(guest, "one-by-one")[0])
    assert [int(row[2]) for row in rows] == [3] * 20 + [0]
    assert len({row[1] for row in rows}) == 21


def programs_that_match_are_excluded(guest: Boot) -> None:
    # The pattern "family forks" matches the shell, whose arguments contain it, and the
    # shell's first program. Only the second program, "family series 4 2", is measured.
    assert counts(part(guest, "excluded")[0]) == [8]


def only_programs_that_match_are_measured(guest: Boot) -> None:
    assert counts(part(guest, "chosen")[0]) == [8]


def attach_counts_existing_and_new_threads(
    guest: Boot,
) -> None:
    printed, status = part(guest, "attached")
    # The first thread makes three calls, then starts five threads that make three each.
    assert counts(printed) == [(1 + 5) * 3]
    assert status == 0


def attached_process_survives_pfmon(guest: Boot, name: str) -> None:
    printed, _ = part(guest, name)
    assert "stopped" not in printed and "traced" not in printed
    if name == "interrupted":
        text = (guest.out / "interrupted").read_text("utf-8")
        assert counts(text)[0] > 0


def command_is_not_traced(guest: Boot, name: str) -> None:
    printed, status = part(guest, name)
    assert "TracerPid:\t0\n" in printed and status == 0, printed


def command_survives_pfmon(guest: Boot) -> None:
    printed, _ = part(guest, "kill-cpu")
    assert "stopped" not in printed and "traced" not in printed


def pfmparse(*arguments: str | Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", *arguments, "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        stdout=subprocess.PIPE,
        check=False,
        text=True,
    )
    return json.loads(done.stdout)


def capture_assigns_samples_to_processes(guest: Boot) -> None:
    printed, status = part(guest, "sampled")
    assert status == 0
    capture = guest.out / "followed.cap"
    info = pfmparse("info", capture)
    # Each thread has a context. The shell executes its last program, which starts four
    # threads, without a fork. The first program runs in a child of the shell and forks
    # three times.
    assert len(info["contexts"]) == (1 + 4) + (1 + 3)
    assert len({context["id"] for context in info["contexts"]}) == 9
    calls = {c["context"]: c["value"] for c in info["counts"] if c["value"]}
    assert info["samples"] == expected(printed) // PERIOD
    assert len(calls) >= 7
    rows = pfmparse("report", capture, "--by", "tid")["rows"]
    assert sorted(row["count"] for row in rows) == [50 // PERIOD] * 7


def family_shares_a_buffer_of_each_cpu(guest: Boot) -> None:
    printed, status = part(guest, "inherited-sampled")
    capture = guest.out / "inherited.cap"
    info = pfmparse("info", capture)
    cpus = [context["cpu"] for context in info["contexts"]]
    assert (status, cpus) == (0, [*range(info["machine"]["cpus"])])
    assert {context["tid"] for context in info["contexts"]} == {None}
    assert info["samples"] + info["lost"] == expected(printed) // PERIOD
    rows = pfmparse("report", capture, "--by", "tid")["rows"]
    assert len(rows) == 7


def partial_period_is_not_inherited(guest: Boot) -> None:
    assert part(guest, "too-few")[1] == 0
    info = pfmparse("info", guest.out / "too-few.cap")
    assert (info["samples"], info["lost"], len(info["contexts"])) == (0, 0, 21)
    # A PMD starts at minus its period, and overflows at 0.
    calls = [(count["value"] + PERIOD) % 2**64 for count in info["counts"]]
    assert sorted(calls) == [0] + [7] * 20


def capture_of_killed_pfmon_is_truncated(guest: Boot, name: str) -> None:
    part(guest, name)
    info = pfmparse("info", guest.out / f"{name}.cap")
    assert info["truncated"] and info["samples"] > 100
    assert info["end_ns"] is None


# Each check, and the names of the script's parts to which it applies.
CHECKS: dict[Callable[..., None], Iterable[str]] = {
    followed_calls_are_all_counted: EXACT,
    inherited_calls_are_all_counted: [
        f"{INHERITED}{way}" for way in EXACT if way not in ("stopped", "child")
    ],
    each_inherited_call_is_sampled: [
        *(f"{EACH}{way}" for way in EXACT if way not in ("stopped", "child")),
        "many-threads",
    ],
    family_shares_a_buffer_of_each_cpu: (),
    threads_beyond_family_max_are_reported: (),
    unfollowed_children_are_not_counted: ("alone", "only-threads"),
    child_of_exited_parent_is_counted: (),
    session_timeout_does_not_wait_for_children: (),
    status_reports_fatal_signal: (),
    signal_reaches_command_after_thread_exec: (),
    signal_reaches_children_of_command: (),
    each_run_has_pfmon_resource_limits: (),
    end_of_viewer_is_not_a_failure: (),
    daemon_is_counted_without_waiting: (),
    threads_above_limit_are_reported: (),
    counts_are_printed_per_thread_or_process: ("by-thread", "by-process"),
    killed_thread_has_name: (),
    process_counts_do_not_accumulate: (),
    programs_that_match_are_excluded: (),
    only_programs_that_match_are_measured: (),
    attach_counts_existing_and_new_threads: (),
    attached_process_survives_pfmon: ("interrupted", "kill-attached"),
    command_survives_pfmon: (),
    command_is_not_traced: ("tracer-cpu", "tracer-cpu-sampling"),
    capture_assigns_samples_to_processes: (),
    partial_period_is_not_inherited: (),
    capture_of_killed_pfmon_is_truncated: (
        "kill-sampling",
        "kill-execed",
        "kill-inherited",
    ),
}


def cases_of(
    checks: dict[Callable[..., None], Iterable[str]],
) -> dict[str, Callable[[Boot], None]]:
    """Return the checks by name: one for each part to which a check applies."""
    found: dict[str, Callable[[Boot], None]] = {}
    for check, parts in checks.items():
        if not parts:
            found[check.__name__] = check
        for name in parts:
            found[f"{check.__name__}-{name}"] = partial(check, name=name)
    return found


def cases() -> dict[str, Callable[[Boot], None]]:
    """Return all checks by name."""
    return cases_of(CHECKS)
