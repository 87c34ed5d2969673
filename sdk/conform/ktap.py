# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print results as KTAP, the test output format of the kernel."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    """Outcome of a check."""

    PASSED = "ok"
    FAILED = "not ok"
    SKIPPED = "skip"


@dataclass(frozen=True)
class Result:
    """Result of a check. text: the finding, or the reason why the check was skipped."""

    check: str
    outcome: Outcome
    text: str = ""


def begin(formats: int) -> None:
    """Begin the report of this number of formats."""
    _say("KTAP version 1", f"1..{formats}")


def begin_format(name: str) -> None:
    """Begin the results of a format; the number of its checks follows at the end."""
    _say("    KTAP version 1", f"    # Subtest: {name}")


def result(number: int, found: Result) -> None:
    """Print the result of the number-th check of a format, counted from 1."""
    word = "not ok" if found.outcome is Outcome.FAILED else "ok"
    line = f"    {word} {number} {found.check}"
    if found.outcome is Outcome.SKIPPED:
        line += f" # SKIP {found.text}"
    elif found.outcome is Outcome.FAILED:
        line += f": {found.text}"
    _say(line)


def end_format(number: int, name: str, results: Sequence[Result]) -> bool:
    """Print the result of the number-th format; return whether it has no findings."""
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
    """Print a progress message, which is not part of the report."""
    print(text, file=sys.stderr, flush=True)
