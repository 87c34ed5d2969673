# SPDX-License-Identifier: MIT OR GPL-2.0
"""The timeline command: show samples over time, optionally by another key."""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Iterator, Optional, Sequence, TextIO

import numpy as np

from ..analysis import keys
from ..analysis.inputs import Input
from ..analysis.interner import Ids, Interner, U64s
from ..analysis.keys import Key, Value
from ..analysis.sums import Sums
from ..analysis.weights import COUNT, Weight
from ..errors import RequestError
from ..formats.roles import Role
from ..formats.samples import Column, Samples
from ..formats.thread_state import OFF, WALL
from ..recording import Batch
from ..text import json_text, printable
from . import summary
from .opening import inputs_of, recordings_of, status_of, weight_of
from .options import STEP
from .outcome import BadInput, blaming

MAX_STEPS = 1 << 20
# Limits the memory for the steps of all values that are wholly off CPU.
MAX_WHOLE_STEPS = 1 << 22
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


class _StepSums:
    """Sums of weights by key and step.

    The time off CPU of a sample is divided among the steps that it covers. If a sample
    covers several steps, the weights of its first and last step are added at once; the
    whole steps in between are counted, from the step in which they begin to the step in
    which they end.
    """

    def __init__(self, options: Options) -> None:
        self._step = np.uint64(options.step)
        self._in_time = options.weight in (OFF, WALL)
        self._pairs = Interner()  # IDs of the key, and steps since time 0 of the clock
        self._weights, self._begun, self._ended = Sums(), Sums(), Sums()

    def add(self, batch: Batch, ids: Ids, weights: Optional[Column]) -> None:
        """Adds samples; ``ids`` are the IDs of their keys."""
        times = batch.samples.role(Role.TIME).astype(np.uint64)
        first = times // self._step
        if weights is None or not self._has_time_off(batch.samples):
            self._weights.add(self._pairs.ids(ids, first), weights)
            return
        off = batch.samples.column(OFF).astype(np.uint64)
        here: U64s = np.minimum(off, self._step - times % self._step)
        self._weights.add(
            self._pairs.ids(ids, first), weights.astype(np.uint64) - off + here
        )
        (more,) = np.nonzero(here < off)
        self._add_later(ids[more], first[more], (off - here)[more])

    def _add_later(self, ids: Ids, first: U64s, off: U64s) -> None:
        """Adds the time off CPU in the steps after ``first``."""
        whole = (off - np.uint64(1)) // self._step
        last = first + whole + np.uint64(1)
        self._weights.add(self._pairs.ids(ids, last), off - whole * self._step)
        self._begun.add(self._pairs.ids(ids, first + np.uint64(1)))
        self._ended.add(self._pairs.ids(ids, last))

    def _has_time_off(self, samples: Samples) -> bool:
        return self._in_time and OFF in samples.aggregates(Role.SUM)

    def span(self) -> Optional[tuple[int, int]]:
        """Returns the first and the last step, or None if there are no samples."""
        _, steps = self._pairs.pairs()
        return (int(steps.min()), int(steps.max())) if steps.size else None

    def result(self) -> dict[int, Counter[int]]:
        """Returns the sums by ID of the key and by step.

        Raises RequestError if these are too many.
        """
        found = defaultdict[int, Counter[int]](Counter)
        rows = list(self._rows())
        if sum(len(before) for _, _, _, before, _ in rows) > MAX_WHOLE_STEPS:
            raise RequestError(
                f"the times off CPU cover more than {MAX_WHOLE_STEPS} steps: "
                "use a longer --step or a shorter --time"
            )
        for key, step, weight, before, whole in rows:
            found[key].update(dict.fromkeys(before, whole))
            found[key][step] += weight
        return found

    def _rows(self) -> Iterator[tuple[int, int, int, range, int]]:
        """Yields keys, steps, weights, earlier steps, and the weight of each of these.

        The earlier steps are those since the previous row of the key that are wholly
        off CPU.
        """
        tables = self._weights, self._begun, self._ended
        sums = (part.result(len(self._pairs)) for part in tables)
        pairs = (part.tolist() for part in self._pairs.pairs())
        whole, until = 0, 0
        for key, step, weight, begun, ended in sorted(zip(*pairs, *sums)):
            yield key, step, weight, range(until, step if whole else until), whole
            whole += (begun - ended) * int(self._step)
            until = step


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
    sums, weight = _StepSums(options), Weight(options.weight, source.events)
    for batch in source.batches():
        sums.add(batch, key.ids(batch), weight.of(batch.samples))
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
    for number, by_step in sums.result().items():
        by = timeline.weights.setdefault(values[number], Counter())
        by.update({step - first: total for step, total in by_step.items()})


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
