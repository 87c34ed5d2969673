# SPDX-License-Identifier: MIT OR GPL-2.0
"""Call reports: inclusive weights of functions, their callers and callees."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Optional, Sequence, TextIO

from ..analysis.calls import Calls, calls_of
from ..analysis.inputs import Input
from ..analysis.profile import Frame, Profile, Profiler
from ..analysis.weights import COUNT
from ..recording import Recording
from ..text import json_text, printable
from . import summary
from .outcome import blaming

CALLERS, CALLEES = "callers", "callees"


@dataclass(frozen=True)
class CallOptions:
    """Options of call reports.

    ``lines`` is "callers", "callees" or None for neither. ``of`` selects functions by
    name.
    """

    lines: Optional[str] = None
    of: Optional[re.Pattern[str]] = None
    weight: str = COUNT
    top: Optional[int] = None
    min_percent: float = 0.0


@dataclass(frozen=True)
class Call:
    """A caller or callee, and the weight of the samples with that call."""

    frame: Frame
    weight: int


@dataclass(frozen=True)
class Row:
    """A function with its own weight, its inclusive weight, and its calls."""

    frame: Frame
    own: int
    inclusive: int
    calls: Sequence[Call]


@dataclass(frozen=True)
class CallReport:
    """The rows, sorted by descending inclusive weight, and the totals."""

    options: CallOptions
    samples: int
    weight: int
    rows: Sequence[Row]

    def percent(self, weight: int) -> float:
        """Returns ``weight`` as a percentage of the total weight."""
        return 100 * weight / self.weight if self.weight else 0.0


def make(inputs: Sequence[Input], options: CallOptions) -> CallReport:
    """Returns the call report of the inputs; raises BadInput if one cannot be read."""
    profiler = Profiler(options.weight)
    for source in inputs:
        with blaming(source.file):
            profiler.add(source, source.batches())
    profile = profiler.profile
    weight = sum(row.weight for row in profile.rows)
    found = calls_of(profile)
    rows = [_row(at, profile, found, options) for at in found.inclusive]
    rows.sort(key=lambda row: (-row.inclusive, row.frame.function, row.frame.object))
    report = CallReport(options, profile.total(), weight, rows)
    shown = [row for row in rows if _is_shown(row, report)]
    return CallReport(options, report.samples, weight, shown[: options.top])


def _row(at: int, profile: Profile, found: Calls, options: CallOptions) -> Row:
    edges = {CALLERS: found.callers, CALLEES: found.callees}
    parts = edges[options.lines].get(at) if options.lines else None
    calls = [Call(profile.frames[n], part) for n, part in (parts or Counter()).items()]
    calls.sort(key=lambda call: (-call.weight, call.frame.function, call.frame.object))
    return Row(profile.frames[at], found.own[at], found.inclusive[at], calls)


def _is_shown(row: Row, report: CallReport) -> bool:
    of = report.options.of
    if of is not None and not of.search(row.frame.function):
        return False
    return report.percent(row.inclusive) >= report.options.min_percent


def print_json(
    report: CallReport, recordings: Sequence[Recording], out: TextIO
) -> None:
    """Prints one JSON object, as docs/pfmparse.md describes it."""
    options = report.options
    document: dict[str, object] = {
        "by": "function",
        "total": report.samples,
        "weight": options.weight,
        "total_weight": report.weight,
        **summary.of_all(recordings),
        "rows": [_row_as_json(row, report) for row in report.rows],
    }
    out.write(json_text(document))
    out.write("\n")


def _row_as_json(row: Row, report: CallReport) -> dict[str, object]:
    found: dict[str, object] = {
        **_named(row.frame),
        "own": row.own,
        "own_percent": report.percent(row.own),
        "inclusive": row.inclusive,
        "percent": report.percent(row.inclusive),
    }
    if report.options.lines:
        found[report.options.lines] = [_call_as_json(c, report) for c in row.calls]
    return found


def _call_as_json(call: Call, report: CallReport) -> dict[str, object]:
    percent = report.percent(call.weight)
    return {**_named(call.frame), "inclusive": call.weight, "percent": percent}


def _named(frame: Frame) -> dict[str, object]:
    return {"key": frame.function, "object": frame.object}


def print_text(
    report: CallReport, recordings: Sequence[tuple[str, Recording]], out: TextIO
) -> None:
    """Prints a line for each function, followed by a line for each of its calls."""
    what = "samples" if report.options.weight == COUNT else report.options.weight
    out.write(f"{'with calls':>12} {'percent':>9} {what:>12} {'percent':>9}  ")
    out.write("function (object)\n")
    arrow = "<-" if report.options.lines == CALLERS else "->"
    for row in report.rows:
        out.write(_columns(row.inclusive, report) + _columns(row.own, report))
        out.write(f" {_label(row.frame)}\n")
        for call in row.calls:
            out.write(_columns(call.weight, report) + " " * 23)
            out.write(f"   {arrow} {_label(call.frame)}\n")
    out.write(f"\nsamples: {report.samples}\n")
    if report.options.weight != COUNT:
        out.write(f"{report.options.weight}: {report.weight}\n")
    summary.print_all(recordings, out)


def _columns(weight: int, report: CallReport) -> str:
    return f"{weight:>12} {report.percent(weight):>8.2f}% "


def _label(frame: Frame) -> str:
    return printable(f"{frame.function} ({frame.object})")
