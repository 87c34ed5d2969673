# SPDX-License-Identifier: MIT OR GPL-2.0
"""Checks of measurements between two places of a program in a guest.

The expected counts are exact: the programs' calls of getppid() are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import followed
import pytest
from boot import Boot, without_narrow

SCRIPT = Path(__file__).with_name("triggers.sh")
# Calls of triggered: before its rounds; in each round inside and outside the places.
BEFORE, INSIDE, OUTSIDE = 100, 7, 3
ROUNDS = {
    "rounds": 5 * INSIDE,
    "first": 5 * (INSIDE + OUTSIDE),
    "last": BEFORE,
    "never": 0,
}
# Exit status of gated for each thing that it does at its gate.
GATED = {
    "forks": 0,
    "execs": 0,
    "exits": 7,
    "waits": 0,
    "masks": 0,
    "signals": 0,
    "signals-before": 0,
}
# Cases with the places in a library.
LINKED = {
    "linked": 5 * INSIDE,
    "linked-and-own": BEFORE,
    "linked-entry": BEFORE,
    "linked-next": (5 + 3) * INSIDE,
}
# Messages for commands that are not started.
NOT_LINKED = {
    "linked-nowhere": r"the program does not start with a library 'libmark'; it has: "
    r"busybox$",
    "linked-broken": "/tmp/broken ended with status 127 before it reached its own ",
    "linked-hangs": "triggered_linked ended with status 143 before it reached its ",
    "linked-no-code": r"\S*/libmarks\.so has no function begn; similar names: begin$",
}
# Rounds of triggered with counted instructions.
FEW, MANY = 10, 30
INSTRUCTIONS = re.compile(r"^ *(\d+) instructions$", re.MULTILINE)

Check = Callable[[Boot], None]


def script() -> str:
    """Return the command."""
    return followed.script(SCRIPT)


def _part(guest: Boot, name: str) -> tuple[str, int]:
    return followed.part(guest, name, "triggers")


def calls_between_two_places_are_counted(guest: Boot) -> None:
    for name, calls in ROUNDS.items():
        printed, traps = _part(guest, name)
        assert followed.counts(printed) == [calls], printed
        # A SIGTRAP that the program sends to itself reaches it, once.
        assert traps == 1


def place_may_be_a_system_call_whatever_that_does(guest: Boot) -> None:
    for name, status in GATED.items():
        printed, ended = _part(guest, name)
        expected = followed.expected(printed)
        assert (followed.counts(printed), ended) == ([expected], status), printed


def places_are_found_in_the_next_program(guest: Boot) -> None:
    printed, traps = _part(guest, "programs")
    assert (followed.counts(printed), traps) == ([(5 + 3) * INSIDE], 1), printed


def program_without_the_places_is_told_of(guest: Boot) -> None:
    printed, status = _part(guest, "exec")
    assert (followed.counts(printed), status) == ([5 * INSIDE], 0), printed
    assert re.search(r"^pfmon: \S* .*begin", printed, re.MULTILINE), printed


def command_without_the_place_does_not_begin(guest: Boot) -> None:
    printed, status = _part(guest, "nowhere")
    assert "executed" not in printed and followed.counts(printed) == []
    assert re.match(r"pfmon: \S*busybox .*begn", printed), printed
    assert status == 1


def samples_are_of_what_is_between_two_places(guest: Boot) -> None:
    assert _part(guest, "samples")[1] == 1
    info = followed.pfmparse("info", guest.out / "triggered.cap")
    assert info["samples"] == 20 * INSIDE and info["lost"] == 0


def places_may_be_in_libraries(guest: Boot) -> None:
    for name, calls in LINKED.items():
        printed, traps = _part(guest, name)
        assert (followed.counts(printed), traps) == ([calls], 1), printed


def next_program_without_the_library_is_told_of(guest: Boot) -> None:
    printed, status = _part(guest, "linked-exec")
    assert (followed.counts(printed), status) == ([5 * INSIDE], 0), printed
    assert re.search(r"^pfmon: .* a library 'libmarks'", printed, re.MULTILINE), printed


def command_without_the_library_does_not_begin(guest: Boot) -> None:
    for name, complaint in NOT_LINKED.items():
        printed, status = _part(guest, name)
        assert re.search(f"^pfmon: {complaint}", printed, re.MULTILINE), printed
        assert "executed" not in printed and status == 1
        assert followed.counts(printed) == []
    # An existing file is not overwritten with a capture.
    assert _part(guest, "linked-kept") == ("kept\n", 0)


def program_of_32_bits_does_not_begin(guest: Boot) -> None:
    reason = without_narrow()
    if reason:
        pytest.skip(reason)
    printed, status = _part(guest, "narrow")
    assert re.match(r"pfmon: .*32: it is not a 64-bit program$", printed), printed
    assert status == 1


def instructions_of_each_round_are_the_same(guest: Boot) -> None:
    few, many = (
        int(INSTRUCTIONS.findall(_part(guest, name)[0])[0]) for name in ("few", "many")
    )
    assert few * MANY == many * FEW and few > 0


def _by_name(*checks: Check) -> dict[str, Check]:
    return {check.__name__: check for check in checks}


CHECKS = _by_name(
    calls_between_two_places_are_counted,
    place_may_be_a_system_call_whatever_that_does,
    places_are_found_in_the_next_program,
    program_without_the_places_is_told_of,
    command_without_the_place_does_not_begin,
    samples_are_of_what_is_between_two_places,
)
# On architectures with dynamically linked programs.
LINKED_CHECKS = _by_name(
    places_may_be_in_libraries,
    next_program_without_the_library_is_told_of,
    command_without_the_library_does_not_begin,
    program_of_32_bits_does_not_begin,
)
# On architectures with counted instructions.
HARDWARE_CHECKS = _by_name(instructions_of_each_round_are_the_same)


def cases(arch: str) -> dict[str, Check]:
    """Return all checks for an architecture by name."""
    return {**CHECKS, **(HARDWARE_CHECKS if arch == "arm64" else LINKED_CHECKS)}
