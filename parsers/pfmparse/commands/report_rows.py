# SPDX-License-Identifier: MIT OR GPL-2.0
"""The rows of a report: sums of samples, grouped by keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Sequence

from ..analysis.inputs import Input
from ..analysis.row_sums import Row, Values, add, ordered
from ..analysis.weights import COUNT
from ..errors import RequestError
from .outcome import blaming
from .stat_columns import StatOptions


@dataclass(frozen=True)
class Options:
    """The keys, the weight, and the rows to show."""

    by: Sequence[str]
    weight: str = COUNT
    top: Optional[int] = None
    min_percent: float = 0.0
    stats: StatOptions = StatOptions()


@dataclass(frozen=True)
class Report:
    """The rows, sorted by descending weight, and the totals of all samples.

    ``titles`` are the titles of the keys; empty if the samples cannot be decoded.
    ``figures`` has further figures by name.
    """

    titles: Sequence[str]
    options: Options
    samples: int
    weight: int
    rows: Sequence[Row] = ()
    figures: Mapping[str, object] = field(default_factory=dict)

    def percent(self, row: Row) -> float:
        """Returns a row's share of the total weight in percent."""
        return 100 * row.weight / self.weight if self.weight else 0.0


def count_unknown(source: Input, options: Options) -> Report:
    """Counts selected samples that cannot be decoded.

    Raises PfmParseError if they cannot be counted either, or if they would have to be
    decoded to select them.
    """
    recording = source.recording
    assert recording.no_parser is not None
    try:
        for _ in source.batches():
            pass
    except RequestError as error:
        raise RequestError(f"{error}: {recording.no_parser}") from error
    if recording.uncounted:
        raise recording.no_parser
    return Report((), options, source.selected, source.selected)


def make(inputs: Sequence[Input], options: Options) -> Report:
    """Returns the report of the inputs' samples.

    Raises BadInput, which names the file, if the samples lack the column of a key.
    """
    rows: dict[Values, Row] = {}
    titles: Sequence[str] = ()
    for source in inputs:
        with blaming(source.file):
            stats = options.stats
            titles = add(
                rows, source, options.by, options.weight, stats.wanted, stats.stats
            )
    found = ordered(rows)
    samples, weight = (sum(getattr(r, n) for r in found) for n in ("samples", "weight"))
    report = Report(titles, options, samples, weight, found, _figures(found, options))
    shown = [r for r in found if report.percent(r) >= options.min_percent]
    return Report(
        titles, options, samples, weight, shown[: options.top], report.figures
    )


def _figures(rows: Sequence[Row], options: Options) -> Mapping[str, object]:
    """Returns further figures: the mean latency if latency is the only key."""
    samples = sum(row.samples for row in rows)
    if list(options.by) != ["latency"] or not samples:
        return {}
    cycles = sum(row.samples * int(row.values[0].key) for row in rows)
    return {"mean_latency": cycles / samples}
