# SPDX-License-Identifier: MIT OR GPL-2.0
"""The diff command: compare two captures, or two sets of captures."""

from __future__ import annotations

import argparse
import math
import os
import sys
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence, TextIO

from ..analysis import keys, row_sums
from ..analysis.inputs import Input
from ..analysis.keys import Value
from ..analysis.row_sums import Values
from ..analysis.weights import COUNT
from ..errors import RequestError
from ..text import json_text, printable
from . import report_rows, summary
from .opening import inputs_of, recordings_of, status_of, weight_of
from .options import BY, TOTAL
from .outcome import BadInput, blaming
from .report_print import one_or_all

NS = 10**9


@dataclass(frozen=True)
class Options:
    """The keys by which to compare, the weight, and which differences to show.

    ``min_delta`` is in the unit of Row.delta; ``top`` limits the rows.
    """

    by: Sequence[str]
    weight: str = COUNT
    normalise: str = TOTAL
    min_delta: float = 0.0
    top: Optional[int] = None


@dataclass(frozen=True)
class Row:
    """The weights of one value on both sides, and their difference.

    ``delta`` is in percentage points if weights are divided by the side's total, and in
    percent of the old rate if they are divided by the side's time.
    ``noise`` is the difference that can be due to chance: two standard deviations.
    """

    values: Values
    old: int
    new: int
    delta: float
    noise: float


@dataclass(frozen=True)
class Side:
    """One side: its report, and the total or the time by which weights are divided."""

    report: report_rows.Report
    unit: float

    def rate(self, weight: int) -> float:
        """Returns a weight divided by the side's total or time."""
        return weight / self.unit if self.unit else 0.0


def run(arguments: argparse.Namespace) -> int:
    """Prints or draws the differences; returns the exit status."""
    old, new = _sides(arguments)
    if arguments.to:
        _check_graph(arguments)
        from .diff_graph import draw  # loads many modules, and is rarely needed

        return draw(arguments, old, new)
    if arguments.output or arguments.widths:
        raise BadInput("-o and --widths need --to html or --to svg")
    with inputs_of(arguments, [*old, *new], keys.detail_of(arguments.by)) as inputs:
        options = Options(
            arguments.by,
            weight_of(arguments, inputs),
            arguments.normalise,
            arguments.min_delta,
            arguments.top,
        )
        sides = [
            _side(part, options) for part in (inputs[: len(old)], inputs[len(old) :])
        ]
        rows = compare(sides[0], sides[1], options)
        if arguments.json:
            print_json(rows, sides, inputs, options, sys.stdout)
        else:
            print_text(rows, sides, inputs, options, sys.stdout)
        return status_of(recordings_of(inputs))


def _sides(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Returns the files of each side.

    Raises BadInput if a side is missing or ambiguous.
    """
    old, new = list(arguments.old), list(arguments.new)
    if len(arguments.file) == 2 and not old and not new:
        return arguments.file[:1], arguments.file[1:]
    if arguments.file or not old or not new:
        raise BadInput(
            "diff needs two captures, OLD NEW, or both --old FILE... and --new FILE..."
        )
    return old, new


def _check_graph(arguments: argparse.Namespace) -> None:
    """Raises BadInput if an option does not apply to flame graphs."""
    given = {
        "--by": arguments.by != BY,
        "--normalise time": arguments.normalise != TOTAL,
        "--min-delta": arguments.min_delta,
        "--top": arguments.top,
    }
    for option, value in given.items():
        if value:
            text = f"{option} does not apply to flame graphs: remove {option} or --to"
            raise BadInput(text)


def _side(inputs: Sequence[Input], options: Options) -> Side:
    made = report_rows.make(inputs, report_rows.Options(options.by, options.weight))
    if options.normalise == TOTAL:
        return Side(made, float(made.weight))
    return Side(made, sum(map(_seconds, inputs)))


def _seconds(source: Input) -> float:
    """Returns the duration of a capture in s; raises BadInput if it is unknown."""
    with blaming(source.file):
        totals = source.recording.source.totals
        start = source.recording.session.start_ns
        if totals is None or totals.end_ns <= start:
            text = "the capture has no end time: use --normalise total"
            raise RequestError(text)
        return (totals.end_ns - start) / NS


def compare(old: Side, new: Side, options: Options) -> list[Row]:
    """Returns the rows to show, those with the greatest absolute difference first."""
    before, after = _by_name(old.report), _by_name(new.report)
    whole = old.rate(old.report.weight) or new.rate(new.report.weight)
    rows = []
    for name in {**before, **after}:
        sides = before.get(name), after.get(name)
        one, other = (row.weight if row else 0 for row in sides)
        there = sides[1] or sides[0]
        assert there is not None
        delta = 100 * (new.rate(other) - old.rate(one)) / whole if whole else 0.0
        noise = 100 * _noise(old, one, new, other, options) / whole if whole else 0.0
        rows.append(Row(there.values, one, other, delta, noise))
    rows.sort(key=lambda row: (-abs(row.delta), [v.label for v in row.values]))
    shown = [row for row in rows if abs(row.delta) >= options.min_delta]
    return shown[: options.top]


def _by_name(made: report_rows.Report) -> Mapping[object, row_sums.Row]:
    """Returns the rows by name; names do not include the directories of files."""
    found: dict[object, row_sums.Row] = {}
    for row in made.rows:
        name = tuple(map(_name, row.values))
        known = found.setdefault(name, row_sums.Row(row.values))
        known.samples += row.samples
        known.weight += row.weight
    return found


def _name(value: Value) -> tuple[object, str]:
    """Returns the name of a value, without the directory of its file."""
    path = value.extra.get("object")
    file = os.path.basename(str(path or ""))
    return (file if value.key == path else value.key), file


def _noise(old: Side, one: int, new: Side, other: int, options: Options) -> float:
    """Returns two standard deviations of the difference.

    Returns 0 if the weights are not numbers of samples.
    """
    if options.weight != COUNT:
        return 0.0
    parts = ((old, one), (new, other))
    return 2 * math.sqrt(sum(_variance(*part, options) for part in parts))


def _variance(side: Side, weight: int, options: Options) -> float:
    """Returns the variance of rate(), a share of the total or a number per second."""
    if not side.unit:
        return 0.0
    rest = 1 - weight / side.unit if options.normalise == TOTAL else 1.0
    return weight * rest / side.unit**2


def print_json(
    rows: Sequence[Row],
    sides: Sequence[Side],
    inputs: Sequence[Input],
    options: Options,
    out: TextIO,
) -> None:
    """Prints one JSON object, as docs/pfmparse.md describes it."""
    document = {
        "by": list(options.by),
        "weight": options.weight,
        "normalise": options.normalise,
        "old_total": sides[0].report.weight,
        "new_total": sides[1].report.weight,
        **summary.of_all([source.recording for source in inputs]),
        "rows": [
            {
                "key": one_or_all([value.key for value in row.values]),
                "old": row.old,
                "new": row.new,
                "old_rate": sides[0].rate(row.old),
                "new_rate": sides[1].rate(row.new),
                "delta": row.delta,
                "noise": row.noise,
            }
            for row in rows
        ],
    }
    out.write(json_text(document))
    out.write("\n")


def print_text(
    rows: Sequence[Row],
    sides: Sequence[Side],
    inputs: Sequence[Input],
    options: Options,
    out: TextIO,
) -> None:
    """Prints a line for each difference, and the totals of both sides."""
    title = "  ".join(sides[1].report.titles)
    out.write(f"{'delta':>9} {'noise':>9} {'old':>12} {'new':>12}  {title}\n")
    for row in rows:
        label = printable("  ".join(value.label for value in row.values))
        out.write(f"{row.delta:>+8.2f}% {row.noise:>8.2f}% ")
        out.write(f"{row.old:>12} {row.new:>12}  {label}\n")
    what = "samples" if options.weight == COUNT else options.weight
    old, new = (side.report.weight for side in sides)
    out.write(f"\n{what}: {old} and {new}\n")
    summary.print_all(recordings_of(inputs), out)
