# SPDX-License-Identifier: MIT OR GPL-2.0
"""Tests of the harness itself: each boots a guest, x86_64, without our modules."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import host
import parts
import pytest
import verdict

RUN = Path(__file__).resolve().parents[2] / "scripts/vm/run"
# Seconds: enough for a boot on a busy machine; only a hang takes as long.
BOOT = 300


def run(
    *command: str, options: Sequence[str] = ()
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a guest and wait for it."""
    return subprocess.run(
        [RUN, "--no-modules", f"--timeout={BOOT}", *options, "--", *command],
        capture_output=True,
        check=False,
        timeout=2 * BOOT,
    )


@pytest.fixture(autouse=True)
def kernel() -> None:
    """Skip all of this if the kernel that is booted by default cannot be had."""
    reason = parts.left_out(f"vm-x86_64-{host.kernel()}")
    if reason:
        pytest.skip(reason)


def processes_with(word: str) -> list[Path]:
    """Return the processes that have this word in their command line."""
    return [
        path.parent
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if word.encode() in _read(path)
    ]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_success_is_returned() -> None:
    done = run("true")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_status_output_files_and_quoting(tmp_path: Path) -> None:
    script = 'echo "to stdout"; echo "to stderr" >&2; echo "$1" >$OUT/file; exit 3'
    strange = "two  spaces 'quotes' $HOME *"
    done = run("sh", "-c", script, "sh", strange, options=["--out", str(tmp_path)])
    assert done.returncode == 3
    assert done.stdout == b"to stdout\nto stderr\n"
    assert (tmp_path / "file").read_text() == strange + "\n"
    assert "Linux version" in (tmp_path / "kernel.log").read_text()


def test_output_is_complete_although_processes_are_left_running() -> None:
    done = run("sh", "-c", "sleep 1000 & seq 200000; exec setsid sleep 1000 &")
    assert done.returncode == 0
    assert done.stdout.split() == [b"%d" % number for number in range(1, 200001)]


def test_added_files_are_in_the_guest(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("content")
    added = ["--add", str(tmp_path / "data"), "--add", f"{tmp_path}:/elsewhere"]
    done = run("cat", "add/data", "/elsewhere/data", options=added)
    assert (done.returncode, done.stdout) == (0, b"contentcontent")


def test_reserved_status_is_told_apart() -> None:
    done = run("sh", "-c", f"exit {verdict.PANIC}")
    assert done.returncode == verdict.RESERVED_STATUS
    assert b"121" in done.stderr


def test_panic_is_a_failure_of_its_own() -> None:
    done = run("sh", "-c", "echo c >/proc/sysrq-trigger")
    assert done.returncode == verdict.PANIC
    assert b"sysrq triggered crash" in done.stderr


def test_splat_is_a_failure_although_the_command_succeeds() -> None:
    done = run("sh", "-c", "echo 'BUG: planted' >/dev/kmsg")
    assert done.returncode == verdict.SPLAT
    assert b"BUG: planted" in done.stderr


def test_hang_ends_at_the_timeout() -> None:
    done = run("sleep", "1000", options=["--timeout=6"])
    assert done.returncode == verdict.TIMEOUT


def test_end_without_verdict_is_a_failure() -> None:
    assert run("poweroff", "-f").returncode == verdict.NO_VERDICT


def test_missing_modules_are_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [RUN, "--modules-dir", tmp_path, "--", "true"], capture_output=True, check=False
    )
    assert done.returncode == verdict.SETUP
    assert b"perfmon.ko, pfm_pmu_perf.ko, pfm_fmt_default.ko" in done.stderr


def test_bad_arguments_are_setup_errors() -> None:
    for bad in (["--smp=0"], ["--arch=arm64", "--kernel=7.3"], ["--add=/no/such"]):
        assert run("true", options=bad).returncode == verdict.SETUP


def test_output_is_streamed_and_termination_ends_the_guest(tmp_path: Path) -> None:
    token = f"token={tmp_path.name}"
    with subprocess.Popen(
        [RUN, "--no-modules", "--append", token, "--", "sh", "-c", "echo go; sleep 99"],
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"go\n"
        assert processes_with(token)
        process.send_signal(signal.SIGTERM)
    assert process.returncode == 128 + signal.SIGTERM
    assert not processes_with(token)
