# SPDX-License-Identifier: MIT OR GPL-2.0
"""Enrol a key in MokManager, which asks for confirmation during the boot."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import firmware
import qemu

# Timeout in seconds.
TIMEOUT = 300
ESCAPE = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
DOWN, ENTER = b"\x1b[B", b"\r"


def confirm(variables: Path, disk: Path, password: str) -> None:
    """Boot a machine, confirm the enrolment of a key, and wait for the reboot.

    variables: the file in which scripts/vm/run has saved the firmware's variables.
    disk: a new directory for the boot loaders. Raises AssertionError with the screen if
    something unexpected is shown.
    """
    machine = firmware.firmware(variables, disk)
    # The text at the end of each screen, and the keys that lead to the next one.
    steps = (
        (b"Press any key", ENTER),
        (b"Enroll MOK", DOWN + ENTER),
        (b"View key 0", DOWN + ENTER),
        (b"Yes", DOWN + ENTER),
        (b"Password:", password.encode() + ENTER),
        (b"Reboot", ENTER),
    )
    with _switched_on(machine) as process:
        for shown, keys in steps:
            _wait_for(process, shown)
            _press(process, keys)
        _wait_for(process, None)


def _command(machine: firmware.Firmware) -> list[str]:
    board = ["-M", qemu.FIRMWARE_BOARD, "-cpu", qemu.CPU, "-m", "512"]
    quiet = ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    program = ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64"]
    arguments = [*board, "-accel", "tcg", *quiet, "-serial", "stdio"]
    return [*program, *arguments, *qemu.firmware_arguments(machine)]


@contextlib.contextmanager
def _switched_on(machine: firmware.Firmware) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        _command(machine),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    timer = threading.Timer(TIMEOUT, process.kill)
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


def _wait_for(process: subprocess.Popen[bytes], shown: bytes | None) -> None:
    """Read until `shown` appears or, if it is None, until the machine is off."""
    assert process.stdout is not None
    screen = b""
    while shown is None or shown not in screen:
        data = os.read(process.stdout.fileno(), 1 << 16)
        if not data:
            break
        screen = ESCAPE.sub(b"", screen + data)
    else:
        return
    assert shown is None, f"{shown!r} is not shown, but: {screen!r}"


def _press(process: subprocess.Popen[bytes], keys: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(keys)
    process.stdin.flush()
