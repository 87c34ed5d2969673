# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check measurements between two locations in a program, in a guest.

The expected counts are exact: the programs' calls to getppid() are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import following
import pytest
from boot import Boot, without_narrow

SCRIPT = Path(__file__).with_name("triggers.sh")
# Calls that the program "triggered" makes: before its rounds and, in each round,
# between the two locations and outside them.
BEFORE, INSIDE, OUTSIDE = 100, 7, 3
ROUNDS = {
    "rounds": 5 * INSIDE,
    "first": 5 * (INSIDE + OUTSIDE),
    "last": BEFORE,
    "never": 0,
}
# The exit status of the program "gated" for each action that it performs at the gate.
GATED = {
    "forks": 0,
    "execs": 0,
    "exits": 7,
    "waits": 0,
    "masks": 0,
    "signals": 0,
    "signals-before": 0,
}
# The numbers of rounds for which "triggered" runs if instructions are counted.
FEW, MANY = 10, 30
INSTRUCTIONS = re.compile(r"^ *(\d+) instructions$", re.MULTILINE)

Check = Callable[[Boot], None]


def script() -> str:
    """Return the script as a command."""
    return following.script(SCRIPT)


def _part(guest: Boot, name: str) -> tuple[str, int]:
    return following.part(guest, name, "triggers")


def calls_between_triggers_are_counted(guest: Boot) -> None:
    for name, calls in ROUNDS.items():
        printed, traps = _part(guest, name)
        assert following.counts(printed) == [calls], printed
        # Only the SIGTRAP that the program sends to itself has arrived.
        assert traps == 1


def trigger_can_be_system_call(guest: Boot) -> None:
    for name, status in GATED.items():
        printed, ended = _part(guest, name)
        expected = following.expected(printed)
        assert (following.counts(printed), ended) == ([expected], status), printed


def triggers_are_set_in_next_program(guest: Boot) -> None:
    printed, traps = _part(guest, "programs")
    assert (following.counts(printed), traps) == ([(5 + 3) * INSIDE], 1), printed


def program_without_triggers_is_reported(guest: Boot) -> None:
    printed, status = _part(guest, "exec")
    assert (following.counts(printed), status) == ([5 * INSIDE], 0), printed
    assert re.search(r"^pfmon: \S* .*begin", printed, re.MULTILINE), printed


def command_without_trigger_is_not_started(guest: Boot) -> None:
    printed, status = _part(guest, "nowhere")
    assert "executed" not in printed and following.counts(printed) == []
    assert re.search(r"^pfmon: \S*busybox .*begn", printed, re.MULTILINE), printed
    assert status == 1


def samples_are_between_triggers(guest: Boot) -> None:
    assert _part(guest, "samples")[1] == 1
    info = following.pfmparse("info", guest.out / "triggered.cap")
    assert info["samples"] == 20 * INSIDE and info["lost"] == 0


def trigger_in_32_bit_program_is_refused(guest: Boot) -> None:
    reason = without_narrow()
    if reason:
        pytest.skip(reason)
    printed, status = _part(guest, "narrow")
    said = r"^pfmon: .*32, because it is not a 64-bit program$"
    assert re.search(said, printed, re.MULTILINE), printed
    assert status == 1


def triggered_rounds_have_equal_instructions(guest: Boot) -> None:
    few, many = (
        int(INSTRUCTIONS.findall(_part(guest, name)[0])[0]) for name in ("few", "many")
    )
    assert few * MANY == many * FEW and few > 0


def _by_name(*checks: Check) -> dict[str, Check]:
    return {check.__name__: check for check in checks}


CHECKS = _by_name(
    calls_between_triggers_are_counted,
    trigger_can_be_system_call,
    triggers_are_set_in_next_program,
    program_without_triggers_is_reported,
    command_without_trigger_is_not_started,
    samples_are_between_triggers,
)
# Checks for architectures with 32-bit programs.
NARROW_CHECKS = _by_name(
    trigger_in_32_bit_program_is_refused,
)
# Checks for architectures whose guests can count instructions.
HARDWARE_CHECKS = _by_name(triggered_rounds_have_equal_instructions)


def cases(arch: str) -> dict[str, Check]:
    """Return all checks for an architecture, by name."""
    return {**CHECKS, **(HARDWARE_CHECKS if arch == "arm64" else NARROW_CHECKS)}
