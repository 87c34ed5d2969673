# SPDX-License-Identifier: MIT OR GPL-2.0
"""The mem command: show slow memory accesses, as the old pfmon's dear-hist did."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import Any, Callable, Mapping, Optional, Sequence, TextIO

import numpy as np

from ..analysis import memory
from ..analysis.first_rows import Wanted
from ..analysis.inputs import Input
from ..analysis.levels import Classes, Levels, Thresholds, Tlbs, usual
from ..analysis.memory import Row, Rows, Tally
from ..analysis.requests import COUNT, LATENCY, LEVEL, TLB, VALUE, VIEWS
from ..analysis.weights import Weight
from ..formats.data_source import UNKNOWN, level_of, tlb_of
from ..formats.roles import Role
from ..formats.samples import Samples
from ..text import json_text
from . import summary
from .histogram import Histogram, Options, print_text
from .opening import inputs_of, recordings_of, status_of, weight_of
from .outcome import BadInput, blaming


def options_of(arguments: argparse.Namespace) -> Options:
    """Returns the command line's options; raises BadInput if they conflict."""
    per, pers = arguments.per, VIEWS[arguments.view]
    if per is not None and per not in pers:
        known = ", ".join(pers)
        raise BadInput(
            f"--per {per} is not available for --view {arguments.view}: use {known}"
        )
    thresholds = None
    if (arguments.l2 is None) != (arguments.l3 is None):
        raise BadInput("--l2 and --l3 must be used together")
    if arguments.l2 is not None:
        thresholds = Thresholds(arguments.l2, arguments.l3)
        if thresholds.l2 > thresholds.l3:
            raise BadInput(
                f"--l2 {thresholds.l2} must not be greater than --l3 {thresholds.l3}"
            )
    return Options(
        arguments.view,
        per,
        arguments.sort,
        arguments.top,
        arguments.cum,
        thresholds,
        arguments.frequency,
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the histogram; returns the exit status."""
    options = options_of(arguments)
    detail = memory.detail_of(options.per or "")
    with inputs_of(arguments, arguments.file, detail) as inputs:
        weight = weight_of(arguments, inputs, counting=True)
        histogram = make(inputs, replace(options, weight=weight))
        if arguments.json:
            print_json(histogram, inputs, sys.stdout)
        else:
            print_text(histogram, sys.stdout)
        return status_of(recordings_of(inputs))


def make(inputs: Sequence[Input], options: Options) -> Histogram:
    """Returns the histogram; raises BadInput if the samples lack a needed column."""
    first: Optional[Samples] = None
    for source in inputs:
        with blaming(source.file):
            first = first or source.first()
    translations = options.view == TLB or tells_only_tlbs(first)
    per = options.per or _usual_per(options.view, translations, first)
    view = TLB if translations and options.view == LEVEL else options.view
    # A row that is among the first in the sum of several inputs may be further down in
    # each of them, so get all rows of each input.
    wanted = options.wanted if len(inputs) == 1 else Wanted()
    rows: Rows = {}
    tallies = []
    for source in inputs:
        classes: Classes = Tlbs()
        if not translations:
            classes = Levels(options.thresholds, usual(source.recording.session))
        with blaming(source.file):
            weight = Weight(options.weight, source.events)
            tally = Tally(memory.by(view, per, source), classes, weight)
            for batch in source.batches():
                tally.add(batch)
            for row in tally.rows(wanted).values():
                memory.add_row(rows, row)
        tallies.append(tally)
    return _histogram(options, per, rows, tallies, inputs)


def tells_only_tlbs(samples: Optional[Samples]) -> bool:
    """Returns whether samples have TLB results, but neither levels nor latencies."""
    if samples is None or samples.name_of(Role.LATENCY) is not None:
        return False
    if samples.name_of(Role.DATA_SOURCE) is None:
        return False
    sources = np.unique(samples.role(Role.DATA_SOURCE)).tolist()
    return all(level_of(value) == UNKNOWN for value in sources) and any(
        tlb_of(value) != UNKNOWN for value in sources
    )


def _usual_per(view: str, translations: bool, first: Optional[Samples]) -> str:
    """Returns the default of --per for a view."""
    known = first is not None and first.name_of(Role.DATA_SOURCE) is not None
    if view == LEVEL and not translations and not known:
        return LATENCY
    return VIEWS[view][0]


def _histogram(
    options: Options,
    per: str,
    rows: Rows,
    tallies: Sequence[Tally],
    inputs: Sequence[Input],
) -> Histogram:
    """Makes a histogram of the wanted rows, in their order, and the totals."""
    of_each = [sum(n) for n in zip(*(tally.of_each_class() for tally in tallies))]
    samples = sum(of_each)
    ordered = sorted(rows.values(), key=SORTS[options.sort])
    shown, so_far, enough = [], 0, options.wanted.enough(samples)
    for row in ordered[: options.top]:
        if so_far >= enough:
            break
        so_far += row.samples
        shown.append(row)
    levels = [tally.classes for tally in tallies]
    thresholds = next(filter(None, (level.thresholds for level in levels)), None)
    return Histogram(
        options,
        per,
        samples,
        shown,
        levels[0].names,
        of_each,
        thresholds,
        any(level.by_source for level in levels),
        options.khz or _khz(inputs),
        sum(source.recording.lost or 0 for source in inputs),
        sum(source.recording.skipped for source in inputs),
        isinstance(levels[0], Tlbs),
        memory.is_of_data(options.view, per),
        all(tally.with_latencies for tally in tallies),
        any(level.sums for level in levels),
    )


def _khz(inputs: Sequence[Input]) -> Optional[int]:
    """Returns the CPU frequency if it is known and the same for all CPUs."""
    machines = [source.recording.session.machine for source in inputs]
    kinds = {kind.khz for machine in machines for kind in machine.processors}
    return kinds.pop() if len(kinds) == 1 and all(kinds) else None


def _by_value(row: Row) -> tuple[object, ...]:
    key = row.value.key
    if row.address is not None:
        return 0, row.address, str(key)
    return (1, key, "") if isinstance(key, int) else (2, 0, key)


def _by_count(row: Row) -> tuple[object, ...]:
    """Returns the sort key: descending count, then descending address."""
    return -row.samples, -(row.address or 0), _by_value(row)


def _by_level(row: Row) -> tuple[object, ...]:
    """Returns the sort key: the numbers of samples in each level, descending.

    The farthest level is compared first.
    """
    return [-number for number in reversed(row.classes[:-1])], _by_count(row)


SORTS: Mapping[str, Callable[[Row], Any]] = {
    COUNT: _by_count,
    VALUE: _by_value,
    LEVEL: _by_level,
}


def print_json(histogram: Histogram, inputs: Sequence[Input], out: TextIO) -> None:
    """Prints one JSON object, as docs/memory.md describes it."""
    options, thresholds = histogram.options, histogram.thresholds
    document: dict[str, object] = {
        "view": options.view,
        "per": histogram.per,
        "sort": options.sort,
        "weight": options.weight,
        "total": histogram.samples,
        "levels": dict(zip(histogram.names, histogram.of_each)),
        "thresholds": thresholds and {"l2": thresholds.l2, "l3": thresholds.l3},
        "data_source": histogram.sources,
        "khz": histogram.khz,
        **summary.of_all([source.recording for source in inputs]),
    }
    document["rows"] = [_as_json(histogram, *row) for row in histogram.running()]
    out.write(json_text(document))
    out.write("\n")


def _as_json(histogram: Histogram, row: Row, so_far: int) -> dict[str, object]:
    found: dict[str, object] = {
        "key": row.value.key,
        "count": row.samples,
        "percent": histogram.percent(row.samples),
        "cumulative": histogram.percent(so_far),
        "latency": row.latency if histogram.with_latencies else None,
        "levels": dict(zip(histogram.names, row.classes)),
    }
    return {**found, **row.value.extra}
