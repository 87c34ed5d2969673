# SPDX-License-Identifier: MIT OR GPL-2.0
"""Checks of a pfmon that followed threads and processes in a guest.

The expected counts are exact: family prints how often it has called getppid().
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
    """Return the command; the subshell keeps functions and variables local."""
    return f"({PARTS.read_text('utf-8')}\n{file.read_text('utf-8')})"


def part(guest: Boot, name: str, script_name: str = "follow") -> tuple[str, int]:
    """Return the output and the exit status of a part of the script."""
    assert guest.command(script_name) is not None, guest.errors()
    printed = guest.printed(script_name)
    found = re.search(rf"^-- {name}\n(.*?)^=> (\d+)$", printed, re.DOTALL | re.M)
    assert found, printed
    return found[1], int(found[2])


def counts(text: str) -> list[int]:
    return [int(found[3]) for found in COUNT.finditer(text)]


def expected(text: str) -> int:
    """Return the number of calls that family has printed."""
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


def every_call_of_what_is_followed_is_counted(guest: Boot, name: str) -> None:
    printed, ended = part(guest, name)
    assert counts(printed) == [expected(printed)], printed
    assert expected(printed) > 0
    assert ended == EXACT[name]


def what_is_not_followed_is_not_counted(guest: Boot, name: str) -> None:
    printed, status = part(guest, name)
    assert (counts(printed), expected(printed), status) == ([0], 15, 0)


def child_that_is_left_before_it_begins_is_counted(guest: Boot) -> None:
    printed, status = part(guest, "orphans")
    assert (counts(printed), expected(printed), status) == ([5] * 5, 25, 0)


def children_do_not_outlast_the_session_timeout(guest: Boot) -> None:
    printed, status = part(guest, "timed-out")
    assert printed.endswith("left\n") and len(counts(printed)) == 1, printed
    assert status == 128 + 15


def signal_that_ends_the_command_is_in_the_status(guest: Boot) -> None:
    assert part(guest, "dies")[1] == 128 + 15


def signal_reaches_the_command_after_the_exec_of_a_thread(guest: Boot) -> None:
    printed, status = part(guest, "signal-after-exec")
    assert status == 128 + 15, printed


def command_of_each_run_has_the_limits_of_pfmon(guest: Boot) -> None:
    printed, status = part(guest, "descriptors")
    assert (printed.splitlines().count("100"), status) == (2, 0), printed


def end_of_the_program_that_shows_is_no_failure(guest: Boot) -> None:
    printed, status = part(guest, "watched")
    assert status == 0, printed


def daemon_is_counted_and_not_waited_for(guest: Boot) -> None:
    printed, status = part(guest, "daemon")
    # The daemon calls once during its life, unless pfmon has ended before.
    assert len(counts(printed)) == 1 and status == 0


def threads_beyond_a_limit_run_and_are_told_of(guest: Boot) -> None:
    printed, status = part(guest, "limited")
    found = re.search(r"^pfmon: (\d+) threads were not measured: (.*)$", printed, re.M)
    assert found, printed
    assert "Too many open files" in found[2]
    assert counts(printed) == [expected(printed) - int(found[1])]
    assert status == 0


def counts_of_each_are_told_apart(guest: Boot, name: str) -> None:
    rows = COUNT.findall(part(guest, name)[0])
    assert sorted(int(row[2]) for row in rows) == [0, 2, 2, 2]
    assert {row[0] for row in rows} == {"family"}
    assert len({row[1] for row in rows}) == 4


def thread_that_was_killed_has_a_name(guest: Boot) -> None:
    rows = COUNT.findall(part(guest, "killed-by-thread")[0])
    assert [(row[0], int(row[2])) for row in rows] == [("family", 5), ("family", 0)]


def counts_are_of_one_process_whatever_was_counted_before(guest: Boot) -> None:
    rows = COUNT.findall(part(guest, "one-by-one")[0])
    assert [int(row[2]) for row in rows] == [3] * 20 + [0]
    assert len({row[1] for row in rows}) == 21


def programs_that_match_are_excluded(guest: Boot) -> None:
    # The shell's arguments match, too; it is measured from its second program on.
    assert counts(part(guest, "excluded")[0]) == [8]


def only_programs_that_match_are_measured(guest: Boot) -> None:
    assert counts(part(guest, "chosen")[0]) == [8]


def threads_of_a_process_that_runs_and_later_ones_are_counted(
    guest: Boot,
) -> None:
    printed, status = part(guest, "attached")
    # The first thread makes three calls before it starts the others.
    assert counts(printed) == [(1 + 5) * 3]
    assert status == 0


def process_goes_on_when_pfmon_ends(guest: Boot, name: str) -> None:
    printed, _ = part(guest, name)
    assert "stopped" not in printed and "traced" not in printed
    if name == "interrupted":
        text = (guest.out / "interrupted").read_text("utf-8")
        assert counts(text)[0] > 0


def pfmparse(*arguments: str | Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", *arguments, "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        stdout=subprocess.PIPE,
        check=False,
        text=True,
    )
    return json.loads(done.stdout)


def capture_says_whose_samples_are(guest: Boot) -> None:
    printed, status = part(guest, "sampled")
    assert status == 0
    capture = guest.out / "followed.cap"
    info = pfmparse("info", capture)
    # The shell becomes the last program that it runs.
    assert len(info["contexts"]) == (1 + 4) + (1 + 3)
    assert len({context["id"] for context in info["contexts"]}) == 9
    calls = {c["context"]: c["value"] for c in info["counts"] if c["value"]}
    assert info["samples"] == expected(printed) // PERIOD
    assert len(calls) >= 7
    rows = pfmparse("report", capture, "--by", "tid")["rows"]
    assert sorted(row["count"] for row in rows) == [50 // PERIOD] * 7


def what_a_process_has_left_of_a_period_is_not_of_the_next(guest: Boot) -> None:
    assert part(guest, "too-few")[1] == 0
    info = pfmparse("info", guest.out / "too-few.cap")
    assert (info["samples"], info["lost"], len(info["contexts"])) == (0, 0, 21)
    # A PMD has the rest of its period until the overflow.
    calls = [(count["value"] + PERIOD) % 2**64 for count in info["counts"]]
    assert sorted(calls) == [0] + [7] * 20


def capture_of_a_pfmon_that_was_killed_says_that_it_is_incomplete(
    guest: Boot, name: str
) -> None:
    part(guest, name)
    info = pfmparse("info", guest.out / f"{name}.cap")
    assert info["truncated"] and info["samples"] > 100
    assert info["end_ns"] is None


# For each check, the parts of the script that it applies to.
CHECKS: dict[Callable[..., None], Iterable[str]] = {
    every_call_of_what_is_followed_is_counted: EXACT,
    what_is_not_followed_is_not_counted: ("alone", "only-threads"),
    child_that_is_left_before_it_begins_is_counted: (),
    children_do_not_outlast_the_session_timeout: (),
    signal_that_ends_the_command_is_in_the_status: (),
    signal_reaches_the_command_after_the_exec_of_a_thread: (),
    command_of_each_run_has_the_limits_of_pfmon: (),
    end_of_the_program_that_shows_is_no_failure: (),
    daemon_is_counted_and_not_waited_for: (),
    threads_beyond_a_limit_run_and_are_told_of: (),
    counts_of_each_are_told_apart: ("by-thread", "by-process"),
    thread_that_was_killed_has_a_name: (),
    counts_are_of_one_process_whatever_was_counted_before: (),
    programs_that_match_are_excluded: (),
    only_programs_that_match_are_measured: (),
    threads_of_a_process_that_runs_and_later_ones_are_counted: (),
    process_goes_on_when_pfmon_ends: ("interrupted", "kill-attached"),
    capture_says_whose_samples_are: (),
    what_a_process_has_left_of_a_period_is_not_of_the_next: (),
    capture_of_a_pfmon_that_was_killed_says_that_it_is_incomplete: (
        "kill-sampling",
        "kill-execed",
    ),
}


def cases() -> dict[str, Callable[[Boot], None]]:
    """Return all checks by name."""
    found: dict[str, Callable[[Boot], None]] = {}
    for check, parts in CHECKS.items():
        if not parts:
            found[check.__name__] = check
        for name in parts:
            found[f"{check.__name__}-{name}"] = partial(check, name=name)
    return found
