# SPDX-License-Identifier: MIT OR GPL-2.0
"""Results as KTAP, the kernel's way of writing them down."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    """How a check has ended."""

    PASSED = "ok"
    FAILED = "not ok"
    SKIPPED = "skip"


@dataclass(frozen=True)
class Result:
    """How a check has ended; text: what was found, or why it was skipped."""

    check: str
    outcome: Outcome
    text: str = ""


def begin(formats: int) -> None:
    """Begin a report of so many formats."""
    _say("KTAP version 1", f"1..{formats}")


def begin_format(name: str) -> None:
    """Begin what is said of a format. The number of its checks comes at their end."""
    _say("    KTAP version 1", f"    # Subtest: {name}")


def result(number: int, found: Result) -> None:
    """Say how the number-th check of a format has ended, counted from 1."""
    word = "not ok" if found.outcome is Outcome.FAILED else "ok"
    line = f"    {word} {number} {found.check}"
    if found.outcome is Outcome.SKIPPED:
        line += f" # SKIP {found.text}"
    elif found.outcome is Outcome.FAILED:
        line += f": {found.text}"
    _say(line)


def end_format(number: int, name: str, results: Sequence[Result]) -> bool:
    """Say how the number-th format has ended; return whether nothing was found."""
    bad = sum(found.outcome is Outcome.FAILED for found in results)
    skipped = sum(found.outcome is Outcome.SKIPPED for found in results)
    passed = len(results) - bad - skipped
    _say(f"    1..{len(results)}")
    _say(f"    # {name}: pass:{passed} fail:{bad} skip:{skipped} total:{len(results)}")
    _say(f"{'not ok' if bad else 'ok'} {number} {name}")
    return not bad


def _say(*lines: str) -> None:
    for line in lines:
        print(line, flush=True)


def progress(text: str) -> None:
    """Say what takes time; not a part of the report."""
    print(text, file=sys.stderr, flush=True)
