# SPDX-License-Identifier: MIT OR GPL-2.0
"""The timeline command: show samples over time, optionally by another key."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Optional, Sequence, TextIO

import numpy as np

from ..analysis import keys
from ..analysis.inputs import Input
from ..analysis.keys import Key, Value
from ..analysis.step_sums import StepSums, time_off
from ..analysis.weights import COUNT, Weight
from ..errors import RequestError
from ..formats.roles import Role
from ..text import json_text, printable
from . import summary
from .opening import inputs_of, recordings_of, status_of, weight_of
from .options import STEP
from .outcome import BadInput, blaming

MAX_STEPS = 1 << 20
BAR = 40  # characters
ALL = "samples"
OTHERS = "others"


@dataclass(frozen=True)
class Options:
    """The step in ns, the key of the columns, and the weight."""

    step: int = STEP
    by: Optional[str] = None
    weight: str = COUNT


@dataclass
class Timeline:
    """Weights by value and step.

    Step 0 of each capture is the step of its first sample.
    """

    options: Options
    title: str = ALL
    steps: int = 0
    weights: dict[Value, Counter[int]] = field(default_factory=dict)

    def values(self) -> list[Value]:
        """Returns the values, sorted by descending weight."""
        totals = {value: sum(by.values()) for value, by in self.weights.items()}
        return sorted(totals, key=lambda value: (-totals[value], value.label))


def run(arguments: argparse.Namespace) -> int:
    """Prints the timeline; returns the exit status."""
    if arguments.step < 1:
        raise BadInput("--step must be at least 1ns")
    if "," in (arguments.by or ""):
        raise BadInput(f"--by takes one key, not {arguments.by!r}")
    detail = keys.detail_of([arguments.by] if arguments.by else [])
    with inputs_of(arguments, arguments.file, detail) as inputs:
        weight = weight_of(arguments, inputs)
        options = Options(arguments.step, arguments.by, weight)
        timeline = make(inputs, options)
        if arguments.json:
            print_json(timeline, inputs, sys.stdout)
        else:
            print_text(timeline, inputs, arguments.top, sys.stdout)
        return status_of(recordings_of(inputs))


def make(inputs: Sequence[Input], options: Options) -> Timeline:
    """Returns the timeline of the inputs; raises BadInput if one cannot be read."""
    timeline = Timeline(options)
    for source in inputs:
        with blaming(source.file):
            _add(timeline, source)
    return timeline


def _add(timeline: Timeline, source: Input) -> None:
    """Adds the samples of an input."""
    options = timeline.options
    key: Key = keys.Same(ALL, ALL)
    if options.by:
        key = keys.key(options.by, source)
        timeline.title = key.title
    sums, weight = StepSums(options.step), Weight(options.weight, source.events)
    for batch in source.batches():
        samples = batch.samples
        times = samples.role(Role.TIME).astype(np.uint64)
        off = time_off(samples, options.weight)
        sums.add(key.ids(batch), times, weight.of(samples), off)
    span = sums.span()
    if span is None:
        return
    first, last = span
    steps = last - first + 1
    if steps > MAX_STEPS:
        text = f"{steps} steps of {options.step} ns are more than {MAX_STEPS}"
        raise RequestError(f"{text}: use a longer --step or a shorter --time")
    timeline.steps = max(timeline.steps, steps)
    values = key.values()
    result = (part.tolist() for part in sums.result())
    for number, step, high, low in zip(*result):
        by = timeline.weights.setdefault(values[number], Counter())
        by[step - first] += (high << 32) + low


def print_json(timeline: Timeline, inputs: Sequence[Input], out: TextIO) -> None:
    """Prints one JSON object, as docs/pfmparse.md describes it."""
    document: dict[str, object] = {
        "step_ns": timeline.options.step,
        "steps": timeline.steps,
        "by": timeline.options.by,
        "weight": timeline.options.weight,
        **summary.of_all([source.recording for source in inputs]),
        "columns": [_column_as_json(v, timeline) for v in timeline.values()],
    }
    out.write(json_text(document))
    out.write("\n")


def _column_as_json(value: Value, timeline: Timeline) -> dict[str, object]:
    steps = sorted(timeline.weights[value].items())
    return {"key": value.key, **value.extra, "steps": steps}


def print_text(
    timeline: Timeline, inputs: Sequence[Input], top: int, out: TextIO
) -> None:
    """Prints a line for each step, with a bar for the sum of its columns."""
    columns, totals = _columns(timeline, top), Counter[int]()
    for _, by in columns:
        totals.update(by)
    widths = [max(len(name), 8) for name, _ in columns]
    heads = "  ".join(f"{name:>{w}}" for (name, _), w in zip(columns, widths))
    out.write(f"{'seconds':>14}  {heads}\n")
    most = max(totals.values(), default=1) or 1
    for step in range(timeline.steps):
        seconds = f"{step * timeline.options.step / 10**9:.6f}"
        cells = "  ".join(f"{by[step]:>{w}}" for (_, by), w in zip(columns, widths))
        bar = "#" * round(BAR * totals[step] / most)
        out.write(f"{seconds:>14}  {cells}  {bar}".rstrip() + "\n")
    out.write(f"\n{timeline.options.weight}: {sum(totals.values())}\n")
    summary.print_all(recordings_of(inputs), out)


def _columns(timeline: Timeline, top: int) -> list[tuple[str, Counter[int]]]:
    """Returns the names and weights of the printed columns."""
    values = timeline.values()
    columns = [(_label(value), timeline.weights[value]) for value in values[:top]]
    if len(values) > top:
        rest: Counter[int] = Counter()
        for value in values[top:]:
            rest.update(timeline.weights[value])
        columns.append((OTHERS, rest))
    return columns


def _label(value: Value) -> str:
    return printable(str(value.key))
