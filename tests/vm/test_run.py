# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/vm/run itself with x86_64 guests without perfmon's modules."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import boot
import build_parts
import host
import pytest
import verdict
from boot import Boot, Target, check_test

RUN = Path(__file__).resolve().parents[2] / "scripts/vm/run"
# Timeout in seconds: enough for a boot on a busy machine.
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
    """Skip all tests if the default kernel is not available."""
    reason = build_parts.left_out(f"vm-x86_64-{host.kernel()}")
    if reason:
        pytest.skip(reason)


def processes_with(word: str) -> list[Path]:
    """Return the /proc folders of processes with this word in their command line."""
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


STRANGE = "two  spaces 'quotes' $HOME *"
SCRIPT = """
echo "to stdout"; echo "to stderr" >&2; echo "$1" >$OUT/file
cat add/data /elsewhere/data
sleep 1000 & seq 200000; setsid sleep 1000 & exit 3
"""


@pytest.fixture(scope="module", name="out")
def out_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module", name="done")
def done_fixture(
    out: Path, tmp_path_factory: pytest.TempPathFactory
) -> subprocess.CompletedProcess[bytes]:
    """Return the result of a guest that uses many features of scripts/vm/run."""
    added = tmp_path_factory.mktemp("added")
    (added / "data").write_text("content")
    options = [f"--out={out}", f"--add={added / 'data'}", f"--add={added}:/elsewhere"]
    return run("sh", "-c", SCRIPT, "sh", STRANGE, options=options)


def test_status_is_returned(done: subprocess.CompletedProcess[bytes]) -> None:
    assert done.returncode == 3


def test_output_is_complete_with_leftover_processes(
    done: subprocess.CompletedProcess[bytes],
) -> None:
    lines = done.stdout.splitlines()
    assert lines[:3] == [b"to stdout", b"to stderr", b"contentcontent1"]
    assert lines[3:] == [b"%d" % number for number in range(2, 200001)]


def test_guest_files_are_returned(
    done: subprocess.CompletedProcess[bytes], out: Path
) -> None:
    assert done.returncode == 3
    assert (out / "file").read_text() == STRANGE + "\n"
    assert "Linux version" in (out / "kernel.log").read_text()


# The kernel log after the emulator has executed an int3 that the kernel had already
# replaced.
MISREAD = """\
Oops: int3: 0000 [#1] PREEMPT SMP NOPTI
RIP: 0010:__schedule+0x3fd/0xbf0
Code: 83 a8 0c 00 00 01 0f <1f> 44 00 00 e9 d4
"""


# The first command writes a file to the kernel log, as if the kernel had logged it.
PLANT = "while read -r line; do echo $line >/dev/kmsg; done </planted"
PLANTED = {"plant": f"{PLANT} && echo ok 1 - planted", "after": "true"}


@pytest.fixture(name="target")
def target_fixture(monkeypatch: pytest.MonkeyPatch) -> Target:
    # Do not count the emulator faults that these tests simulate.
    monkeypatch.delenv("PERFMON_COUNTED", raising=False)
    return Target("x86_64", host.kernel())


def test_emulator_fault_reboots_guest(target: Target, tmp_path: Path) -> None:
    path = tmp_path / "planted"
    path.write_text(MISREAD)
    options = ["--no-modules", "--parallel", f"--add={path}:/planted"]
    guest = Boot(target, PLANTED, tmp_path, options)
    assert guest.outcome("plant", "planted")
    path.write_text("")
    with pytest.warns(UserWarning, match="rebooted: .*__schedule"):
        assert guest.status() == 0
    assert guest.command("after") == 0


# A program that exits as scripts/vm/run does after a fault of the emulator.
STAND_IN = f"#!/bin/sh\necho 'patched: __schedule' >&2\nexit {verdict.EMULATOR}\n"


def test_second_emulator_fault_fails(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").write_text(STAND_IN)
    (tmp_path / "run").chmod(0o755)
    monkeypatch.setattr(boot, "RUN", tmp_path / "run")
    guest = Boot(target, PLANTED, tmp_path)
    with pytest.warns(UserWarning, match="rebooted"):
        assert guest.status() == verdict.EMULATOR
    with pytest.raises(pytest.fail.Exception, match="__schedule"):
        guest.check_end()


def test_early_end_of_guest_fails_once(tmp_path: Path) -> None:
    target = Target("x86_64", host.kernel())
    guest = Boot(target, {"end": "poweroff -f", "never": "true"}, tmp_path)
    said = "without reporting the command's exit status"
    with pytest.raises(pytest.fail.Exception, match=said):
        check_test(guest, "never", "test")
    for missing in (lambda: guest.command("never"), guest.check_end):
        with pytest.raises(pytest.skip.Exception, match="not run: .* with status 124"):
            missing()


def test_programs_do_not_contain_path_of_checkout() -> None:
    built = [*boot.ROOT.glob("build/*/*"), *boot.ROOT.glob("build/*/tests/*")]
    programs = [path for path in built if path.is_file() and os.access(path, os.X_OK)]
    here = os.fsencode(boot.ROOT)
    assert programs
    assert not [path.name for path in programs if here in path.read_bytes()]


def test_run_is_replayed_unless_test_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHECK_ALL", raising=False)
    guests = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        options = ("--icount", "--no-modules")
        # Each boot has another ID.
        command = f": {tmp_path}; tee /out/id </proc/sys/kernel/random/boot_id"
        target = Target("x86_64", host.kernel())
        guests.append(Boot(target, {"id": command}, tmp_path / name, options, True))
        guests[-1].check_end()
    first, second = guests
    assert first.printed("id") == second.printed("id") != ""
    assert (second.out / "id").read_text() == first.printed("id")
    kept = Path((first.out / "kept-run").read_text())
    assert kept.is_dir()
    second.forget()
    second.close()
    assert not kept.exists()


def test_reserved_status_is_replaced() -> None:
    done = run("sh", "-c", f"exit {verdict.PANIC}")
    assert done.returncode == verdict.RESERVED_STATUS
    assert b"121" in done.stderr


def test_panic_has_own_status() -> None:
    done = run("sh", "-c", "echo c >/proc/sysrq-trigger")
    assert done.returncode == verdict.PANIC
    assert b"sysrq triggered crash" in done.stderr


def test_splat_fails_successful_command() -> None:
    done = run("sh", "-c", "echo 'BUG: planted' >/dev/kmsg")
    assert done.returncode == verdict.SPLAT
    assert b"BUG: planted" in done.stderr


def test_hang_ends_at_the_timeout() -> None:
    done = run("sleep", "1000", options=["--timeout=6"])
    assert done.returncode == verdict.TIMEOUT


def test_missing_modules_are_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [RUN, "--modules-dir", tmp_path, "--", "true"], capture_output=True, check=False
    )
    assert done.returncode == verdict.SETUP
    assert b"perfmon.ko, pfm_pmu_perf.ko, pfm_fmt_default.ko" in done.stderr


def test_bad_arguments_are_setup_errors() -> None:
    for bad in (["--smp=0"], ["--arch=arm64", "--kernel=7.3"], ["--add=/no/such"]):
        assert run("true", options=bad).returncode == verdict.SETUP


def test_termination_ends_guest(tmp_path: Path) -> None:
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
