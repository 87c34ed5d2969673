# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the threads in a capture with /proc."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

# Each input line starts a thread, or renames the process.
PROGRAM = """
import sys, threading
print(flush=True)
for line in sys.stdin.buffer:
    word, _, name = line.rstrip(b"\\n").partition(b" ")
    if word == b"thread":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    else:
        open("/proc/self/comm", "wb").write(name.replace(b"|", b"\\n"))
    print(flush=True)
"""


class Asked:
    """A program that executes commands and answers each one with a line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.pid = process.pid

    def ask(self, line: bytes) -> bytes:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer.endswith(b"\n"), "the program died"
        return answer

    def threads(self, line: bytes) -> list[Any]:
        """Send a line; return the threads in the answer, or [] for no changes."""
        answer = self.ask(line)
        threads: list[Any] = json.loads(answer)["threads"] if answer.strip() else []
        return threads


@contextmanager
def started(*command: str | Path) -> Iterator[Asked]:
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            yield Asked(process)
        finally:
            process.kill()


@contextmanager
def program() -> Iterator[Asked]:
    with started(sys.executable, "-c", PROGRAM) as asked:
        assert asked.process.stdout
        asked.process.stdout.readline()
        yield asked


def test_threads_include_control_group(programs: Path) -> None:
    paths = Path("/proc/self/cgroup").read_text().splitlines()
    known = {line.split(":", 2)[2] for line in paths}
    with started(programs / "threads_printer", str(os.getpid())) as printer:
        answer = json.loads(printer.ask(b"all"))
    deeper = known - {"/"}
    assert answer["cgroup"] in (deeper or known)


def test_single_thread_includes_control_group(
    programs: Path,
) -> None:
    with program() as asked, started(
        programs / "threads_printer", str(asked.pid)
    ) as printer:
        before = json.loads(printer.ask(b"all"))
        asked.ask(b"thread")
        tid = next(
            int(task.name)
            for task in Path(f"/proc/{asked.pid}/task").iterdir()
            if int(task.name) != asked.pid
        )
        answer = json.loads(printer.ask(str(tid).encode()))
        assert [thread["tid"] for thread in answer["threads"]] == [tid]
        assert answer["cgroup"] == before["cgroup"]
        assert printer.threads(str(tid).encode()) == []


def in_proc(pid: int) -> list[dict[str, object]]:
    """Return the threads of a process according to /proc."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        # A name may contain parentheses; the other fields follow the last parenthesis.
        fields = (task / "stat").read_text().rpartition(")")[2].split()
        found.append(
            {
                "tid": int(task.name),
                "tgid": pid,
                "ppid": int(fields[1]),
                "comm": (task / "comm").read_text().rstrip("\n"),
                "start_ns": int(fields[19]) * 10**9 // os.sysconf("SC_CLK_TCK"),
            }
        )
    return found


def test_threads_match_proc_task(programs: Path) -> None:
    with program() as asked, started(
        programs / "threads_printer", str(asked.pid)
    ) as printer:
        asked.ask(b"thread")
        asked.ask(b"thread")
        told = printer.threads(b"new")
        assert len(told) == 3
        assert told == in_proc(asked.pid)
        assert {thread["ppid"] for thread in told} == {os.getpid()}


def test_threads_are_reported_once(programs: Path) -> None:
    with program() as asked, started(
        programs / "threads_printer", str(asked.pid)
    ) as printer:
        (first,) = printer.threads(b"new")
        assert printer.threads(b"new") == []
        asked.ask(b"thread")
        (second,) = printer.threads(b"new")
        assert second["tid"] != first["tid"] == asked.pid
        assert printer.threads(b"all") == []


def test_renamed_new_thread_is_reported_again(programs: Path) -> None:
    with program() as asked, started(
        programs / "threads_printer", str(asked.pid)
    ) as printer:
        (first,) = printer.threads(b"new")
        asked.ask(b"name second")
        assert printer.threads(b"new") == [{**first, "comm": "second"}]
        assert printer.threads(b"new") == []
        # "new" no longer examines a thread that it found unchanged.
        asked.ask(b"name third")
        assert printer.threads(b"new") == []
        assert printer.threads(b"all") == [{**first, "comm": "third"}]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a) R 1 (b", "a) R 1 (b"),
        (b"new|line", "new\nline"),
        (b"back\\slash\\n", "back\\slash\\n"),
        (b"latin-\xfc", "latin-?"),
        (b" ", " "),
    ],
)
def test_odd_thread_names_are_kept(programs: Path, name: bytes, shown: str) -> None:
    with program() as asked, started(
        programs / "threads_printer", str(asked.pid)
    ) as printer:
        asked.ask(b"name " + name)
        (thread,) = printer.threads(b"new")
        assert thread["comm"] == shown
        assert thread["ppid"] == os.getpid()


def test_ended_process_has_no_threads(programs: Path) -> None:
    with program() as asked:
        pass
    with started(programs / "threads_printer", str(asked.pid)) as printer:
        assert printer.threads(b"all") == []
