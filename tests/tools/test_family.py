# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check pfmon's messages when the kernel refuses a family of contexts.

A family is a context for the command's first thread, and a context for each thread that
the command creates.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from chunks import buffer_of, chunks_of
from pfmon import ERROR, INHERITED

ALONE = (
    " cannot measure the threads that the command creates: "
    "only the command's first thread is measured;"
)
REASONS = [
    (errno.EOPNOTSUPP, "this kernel (PREEMPT_RT)"),
    (errno.EINVAL, "the loaded version of perfmon"),
]
NO_MEMORY = "not enough memory for a sampling buffer for each CPU"
ALONE_OPTION = ("--no-inherit",)
FORKS = "this kernel cannot follow forks (try --no-inherit)"


def counted(
    programs: Path, *arguments: str, create: int = 0, load: int = 0
) -> subprocess.CompletedProcess[str]:
    """Count the events of a command with family_refuser.

    Creating a family fails with the errno `create`, unless that is 0. Loading any
    context fails with the errno `load`, unless that is 0.
    """
    return subprocess.run(
        [
            programs / "family_refuser",
            *(str(create), str(load), "-e", "page-faults"),
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def refused(
    programs: Path, create: int, load: int, *options: str
) -> subprocess.CompletedProcess[str]:
    """Count the command "true" while the kernel returns these errors: see counted()."""
    return counted(programs, *options, "true", create=create, load=load)


@pytest.mark.parametrize(
    ("options", "traced"),
    [
        ((), False),
        (ALONE_OPTION, False),
        (("--follow-exec",), False),
        (("-epage-faults", "--switch-timeout=4"), False),
        (("--follow-pthread",), True),
        (("--exclude=no",), True),
        (("--aggregate=process",), True),
    ],
)
def test_command_is_traced_only_if_needed(
    programs: Path, options: tuple[str, ...], traced: bool
) -> None:
    run = counted(programs, *options, "sh", "-c", "cat /proc/$$/status; exit 7")
    assert ("TracerPid:\t0\n" not in run.stdout) == traced
    assert run.returncode == 7


@pytest.mark.parametrize(
    ("create", "options", "traced"),
    [
        (0, (), False),
        (0, ALONE_OPTION, False),
        (0, ("--smpl-module=flight",), False),
        (0, ("--smpl-ip-only",), True),
        (0, ("--overflow-block",), True),
        (errno.EOPNOTSUPP, (), False),
        (errno.EINVAL, (), False),
        (errno.ENOMEM, (), False),
    ],
)
def test_sampled_command_is_traced_only_if_needed(
    programs: Path, tmp_path: Path, create: int, options: tuple[str, ...], traced: bool
) -> None:
    sampling = ("--long-smpl-periods=1", f"-o{tmp_path / 'capture'}", *options)
    command = ("sh", "-c", "cat /proc/$$/status; exit 7")
    run = counted(programs, *sampling, *command, create=create)
    assert ("TracerPid:\t0\n" not in run.stdout) == traced
    assert run.returncode == 7
    assert (ALONE in run.stderr) == (create in dict(REASONS))
    assert (NO_MEMORY in run.stderr) == (create == errno.ENOMEM)


SAMPLING = ("--long-smpl-periods=1", "-o/dev/null")
# The options of each case in the first table of docs/following.md, and the reason that
# pfmon prints.
OBSTACLES = [
    (("-epage-faults", "--switch-timeout=4"), "several event sets"),
    (("--trigger-start=0x400000",), "--trigger-start or --trigger-stop"),
    (("--trigger-stop=0x400000",), "--trigger-start or --trigger-stop"),
    (("--follow-exec=no",), "--follow-exec"),
    (("--exclude=no",), "--exclude"),
    (("--aggregate=thread",), "--aggregate"),
    (("--aggregate=process",), "--aggregate"),
    ((*SAMPLING, "--overflow-block"), "--overflow-block"),
    (
        (*SAMPLING, "--smpl-module=nway", "--smpl-mask-when-full"),
        "--smpl-mask-when-full",
    ),
    ((*SAMPLING, "--smpl-notify=0"), "--smpl-notify"),
    ((*SAMPLING, "--smpl-ip-only"), "--smpl-ip-only"),
    ((*SAMPLING, "--smpl-no-hdr"), "--smpl-no-hdr"),
    ((*SAMPLING, "--smpl-module=flight"), "the sampling format"),
]
ALL = "; to measure all, use --follow-all"


@pytest.mark.parametrize(("options", "reason"), OBSTACLES)
def test_option_that_prevents_a_family_is_reported(
    programs: Path, options: tuple[str, ...], reason: str
) -> None:
    run = counted(programs, *options, "true")
    hint = "" if "trigger" in reason else ALL
    line = f"only the command's first thread is measured, because of {reason}{hint}\n"
    assert run.stderr.count(f"pfmon: {line}") == 1, run.stderr


@pytest.mark.parametrize("options", [(), ("--no-inherit",), ("--follow-pthread",)])
def test_requested_threads_need_no_message(
    programs: Path, options: tuple[str, ...]
) -> None:
    run = counted(programs, *options, "--smpl-notify=0", *SAMPLING, "true")
    assert ("first thread" in run.stderr) == (not options), run.stderr


def test_all_buffers_of_family_are_saved(programs: Path, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    run = counted(programs, "--long-smpl-periods=1", f"-o{capture}", "true")
    assert run.returncode == 0, run.stderr
    chunks = list(chunks_of(capture.read_bytes()))
    (session,) = [json.loads(c.payload) for c in chunks if c.kind == b"SESS"]
    contexts = session["contexts"]
    numbers = Path("/sys/devices/system/cpu/possible").read_text().strip()
    last = int(numbers.split("-")[-1])
    assert [context["cpu"] for context in contexts] == list(range(0, last + 1, 2))
    saved = [buffer_of(c.payload).context for c in chunks if c.kind == b"BUFR"]
    assert saved == [context["id"] for context in contexts]


def test_full_buffers_do_not_keep_pfmon_from_timers(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORM", "1")
    sampling = ("--long-smpl-periods=1", "-o/dev/null")
    run = counted(programs, *sampling, "--session-timeout=0.1", "sleep", "50")
    assert run.returncode == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("options", "lower"),
    [
        ((), "--smpl-entries"),
        (
            ("--smpl-module=callstack", f"--smpl-arg={'00' * 32}"),
            "the buffer's size in --smpl-arg",
        ),
    ],
)
def test_option_for_smaller_buffers_is_suggested(
    programs: Path, tmp_path: Path, options: tuple[str, ...], lower: str
) -> None:
    sampling = ("--long-smpl-periods=1", f"-o{tmp_path / 'capture'}", *options)
    run = counted(programs, *sampling, "true", create=errno.ENOMEM)
    assert NO_MEMORY in run.stderr
    assert f"thread is measured: lower {lower}, or raise" in run.stderr


@pytest.mark.parametrize(("name", "status"), [("TERM", 143), ("KILL", 137)])
def test_untraced_status_has_terminating_signal(
    programs: Path, name: str, status: int
) -> None:
    run = counted(programs, "sh", "-c", f"kill -{name} $$")
    assert (run.returncode, run.stderr.split()) == (status, ["0", "page-faults"])


def test_untraced_command_has_its_last_name(programs: Path) -> None:
    run = counted(programs, "--json", "sh", "-c", "exec sleep 0")
    assert json.loads(run.stdout)["rows"][0]["comm"] == "sleep"


def test_untraced_command_inherits_ignored_sigchld(programs: Path) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        script = "/SigIgn/ { print $2; exit 3 }"
        run = counted(programs, "--json", "awk", script, "/proc/self/status")
    finally:
        signal.signal(signal.SIGCHLD, before)
    ignored, told = run.stdout.splitlines()
    assert int(ignored, 16) >> (signal.SIGCHLD - 1) & 1
    assert json.loads(told)["exit_status"] == 3


STOPS = """
import ctypes, os, signal
assert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0  # PTRACE_TRACEME
os.kill(os.getpid(), signal.SIGWINCH)
"""


def test_command_that_asks_to_be_traced_is_measured(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONCE", "1")
    run = counted(programs, sys.executable, "-c", STOPS)
    assert (run.returncode, run.stderr.split()) == (0, ["0", "page-faults"])


@pytest.mark.parametrize("ignored", [False, True])
def test_ignored_hangup_does_not_end_measuring(programs: Path, ignored: bool) -> None:
    options = ("-epage-faults", "--csv", "-I20", f"--attach-task={os.getpid()}")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    with subprocess.Popen(
        [programs / "family_refuser", "0", "0", *options],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        signal.signal(signal.SIGHUP, before)
        assert process.stdout
        process.stdout.readline()
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        lines = [line for _, line in zip(range(20), process.stdout)]
        process.terminate()
        process.communicate()
    assert (len(lines) == 20) == ignored


@pytest.mark.parametrize("options", [(), ("--delay=1",), ("--duration=100",)])
def test_missing_command_is_reported(programs: Path, options: tuple[str, ...]) -> None:
    run = counted(programs, *options, "/no/such/command")
    assert run.returncode == ERROR
    assert run.stderr == (
        "pfmon: cannot run /no/such/command: No such file or directory\n"
    )


@pytest.mark.parametrize("command", ["no-such-command", "/no/such/command", "/", ""])
def test_missing_command_keeps_capture(
    programs: Path, tmp_path: Path, command: str
) -> None:
    capture = tmp_path / "capture"
    capture.write_text("kept")
    run = counted(programs, "--long-smpl-periods=1", f"-o{capture}", command)
    assert run.returncode == ERROR
    assert f"cannot run {command}: " in run.stderr
    assert capture.read_text() == "kept"


@pytest.mark.parametrize(("error", "reason"), REASONS)
def test_counting_first_thread_is_reported_once(
    programs: Path, error: int, reason: str
) -> None:
    run = refused(programs, error, 0)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count(f"pfmon: {reason}{ALONE}") == 1
    assert run.stderr.count(ALONE) == 1
    assert "0 page-faults" in run.stderr


@pytest.mark.parametrize(("error", "reason"), REASONS)
def test_dry_run_knows_the_kernels_answer(
    programs: Path, error: int, reason: str
) -> None:
    run = refused(programs, error, 0, "--dry-run")
    assert run.returncode == 0, run.stderr
    assert INHERITED not in run.stdout
    assert run.stderr.count(f"pfmon: {reason}{ALONE}") == 1


def test_families_that_work_are_not_reported(programs: Path) -> None:
    assert ALONE not in refused(programs, 0, 0).stderr
    run = refused(programs, 0, 0, "--dry-run")
    assert ALONE not in run.stderr
    assert INHERITED in run.stdout


def test_other_errors_are_not_families(programs: Path) -> None:
    run = refused(programs, errno.ENOMEM, 0)
    assert run.returncode == ERROR
    assert ALONE not in run.stderr


def test_measured_command_is_pointed_to_no_inherit(programs: Path) -> None:
    run = refused(programs, 0, errno.EBUSY)
    assert run.returncode == ERROR
    assert "is being measured already" in run.stderr
    hint = "another pfmon follows this process, start that pfmon with --no-inherit"
    assert hint in run.stderr


@pytest.mark.parametrize(
    ("create", "options", "told"),
    [
        (0, (), True),
        (0, ("--no-inherit",), False),
        (errno.EOPNOTSUPP, (), False),
    ],
)
def test_forks_that_cannot_be_watched_are_reported(
    programs: Path, create: int, options: tuple[str, ...], told: bool
) -> None:
    run = refused(programs, create, errno.EOPNOTSUPP, *options)
    assert run.returncode == ERROR
    assert (FORKS in run.stderr) == told
    assert "PMU does not support one of the events" in run.stderr


SPAWN = (
    "import os; os.waitpid(os.posix_spawn('/bin/cat', ['cat', '/proc/self/status'], "
    "{}), 0)"
)


@pytest.mark.parametrize(
    ("option", "followed"),
    [("--follow-fork", True), ("--follow-vfork", True), ("--follow-pthread", False)],
)
def test_spawned_process_is_followed(
    programs: Path, option: str, followed: bool
) -> None:
    run = counted(programs, option, sys.executable, "-c", SPAWN)
    assert ("TracerPid:\t0\n" not in run.stdout) == followed
    assert run.returncode == 0


def test_terminated_pfmon_does_not_wait_for_a_grandchild(programs: Path) -> None:
    command = ["sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!; wait"]
    refuser = [str(programs / "family_refuser"), "0", "0", "-e", "page-faults"]
    with subprocess.Popen([*refuser, *command], stdout=-1, stderr=-1) as pfmon:
        assert pfmon.stdout is not None
        grandchild = int(pfmon.stdout.readline())
        pfmon.terminate()
        assert pfmon.wait(60) == 128 + signal.SIGTERM
    # This fails if the grandchild has ended.
    os.kill(grandchild, signal.SIGKILL)
