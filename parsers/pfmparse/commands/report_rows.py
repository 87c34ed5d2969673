# SPDX-License-Identifier: MIT OR GPL-2.0
"""The rows of a report: sums of samples, grouped by keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Sequence

from ..analysis import keys
from ..analysis.groups import Groups, Values
from ..analysis.inputs import Input
from ..analysis.keys import Value
from ..analysis.pmd_stats import PmdStats
from ..analysis.pmd_stats import Values as PmdValues
from ..analysis.sums import Sums
from ..analysis.weights import COUNT, Weight
from ..recording import Recording
from .outcome import blaming
from .pmd_columns import PmdOptions


@dataclass(frozen=True)
class Options:
    """The keys, the weight, and the rows to show."""

    by: Sequence[str]
    weight: str = COUNT
    top: Optional[int] = None
    min_percent: float = 0.0
    pmds: PmdOptions = PmdOptions()


@dataclass
class Row:
    """Samples that have the same values of all keys, and their weight.

    ``pmds`` holds the values of the PMDs that are reported.
    """

    values: Values
    samples: int = 0
    weight: int = 0
    pmds: dict[int, PmdValues] = field(default_factory=dict)

    def order(self) -> tuple[object, ...]:
        """The sort key: descending weight, then the keys."""
        return (-self.weight, *map(_order, self.values))


@dataclass(frozen=True)
class Report:
    """The rows, sorted by descending weight, and the totals of all samples.

    ``titles`` are the keys' titles, empty if the samples cannot be decoded.
    ``figures`` holds further figures by name.
    """

    titles: Sequence[str]
    options: Options
    samples: int
    weight: int
    rows: Sequence[Row] = ()
    figures: Mapping[str, object] = field(default_factory=dict)

    def percent(self, row: Row) -> float:
        """A row's share of the total weight in percent."""
        return 100 * row.weight / self.weight if self.weight else 0.0


def count_unknown(recording: Recording, options: Options) -> Report:
    """Counts samples that cannot be decoded; PfmParseError if that fails, too."""
    for _ in recording.batches():
        pass
    if recording.uncounted and recording.no_parser is not None:
        raise recording.no_parser
    return Report((), options, recording.samples, recording.samples)


def make(inputs: Sequence[Input], options: Options) -> Report:
    """Reads the inputs and sums their samples.

    BadInput with the file's name if the samples lack the column of a key.
    """
    rows: dict[Values, Row] = {}
    titles: Sequence[str] = ()
    for source in inputs:
        with blaming(source.file):
            made = [keys.key(name, source) for name in options.by]
            titles = [key.title for key in made]
            _add(rows, source, Groups(made), options)
    # Keys also number the places of samples that are not selected: drop those rows.
    ordered = sorted((row for row in rows.values() if row.samples), key=Row.order)
    samples, weight = (
        sum(getattr(r, n) for r in ordered) for n in ("samples", "weight")
    )
    report = Report(
        titles, options, samples, weight, ordered, _figures(ordered, options)
    )
    shown = [r for r in ordered if report.percent(r) >= options.min_percent]
    return Report(
        titles, options, samples, weight, shown[: options.top], report.figures
    )


def _add(
    rows: dict[Values, Row], source: Input, groups: Groups, options: Options
) -> None:
    """Adds the samples of an input."""
    samples, weights = Sums(), Sums()
    pmds = PmdStats(options.pmds.wanted, source.recording)
    weighed = options.weight != COUNT
    weight = Weight(options.weight, source.events)
    for batch in source.batches():
        ids = groups.ids(batch)
        samples.add(ids, batch.samples.weights())
        if weighed:
            weights.add(ids, weight.of(batch.samples))
        pmds.add(ids, batch.samples)
    values = groups.values()
    counts = samples.result(len(values))
    sums = weights.result(len(values)) if weighed else counts
    found = [rows.setdefault(value, Row(value)) for value in values]
    for row, count, total in zip(found, counts, sums):
        row.samples += count
        row.weight += total
    pmds.merge([row.pmds for row in found])


def _figures(rows: Sequence[Row], options: Options) -> Mapping[str, object]:
    """The mean latency, if latency is the only key."""
    samples = sum(row.samples for row in rows)
    if list(options.by) != ["latency"] or not samples:
        return {}
    cycles = sum(row.samples * int(row.values[0].key) for row in rows)
    return {"mean_latency": cycles / samples}


def _order(value: Value) -> tuple[str, str]:
    key = f"{value.key:020}" if isinstance(value.key, int) else value.key
    return key, value.label
