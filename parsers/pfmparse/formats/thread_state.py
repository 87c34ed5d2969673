# SPDX-License-Identifier: MIT OR GPL-2.0
"""Names of the states of threads, which samples record as letters of ps(1)."""

from __future__ import annotations

NAMES = {
    "r": "running",  # not a letter of ps(1): for samples of a clock event
    "R": "runnable",
    "S": "sleeping",
    "D": "uninterruptible",
    "T": "stopped",
    "t": "traced",
    "I": "idle",
    "P": "parked",
    "X": "ended",
    "Z": "ended",
}
RUNNING = ord("r")
TRACED = ord("t")
ENDED = ord("X")
OFF = "off"  # the column with the time off CPU after a sample, in ns
WALL = "wall"  # the column with the CPU time before a sample plus OFF, in ns


def name_of(value: int) -> str:
    """Returns the name of a state, or the number if it is not a known letter."""
    letter = chr(value) if value < 128 else ""
    return NAMES.get(letter, f"{value:#x}")
