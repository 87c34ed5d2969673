# SPDX-License-Identifier: MIT OR GPL-2.0
"""The figures of PMD values in a report: columns, lines and members of JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Mapping, Optional, Sequence

from ..analysis.pmd_stats import Number, Values, Wanted, ratio

HISTOGRAM = "hist"
WIDTH = 14

PmdValues = Mapping[int, Values]


@dataclass(frozen=True)
class PmdOptions:
    """The PMDs or ratios to show, and the figures of the PMDs."""

    wanted: Sequence[Wanted] = ()
    stats: Sequence[str] = ("sum",)

    def columns(self) -> Iterator[tuple[str, Wanted, str]]:
        """Name, PMD or ratio, and figure of each column."""
        for wanted in self.wanted:
            if wanted.by is not None:
                yield str(wanted), wanted, ""
                continue
            for stat in self.stats:
                if stat != HISTOGRAM:
                    yield f"{wanted} {stat}", wanted, stat

    def histograms(self) -> list[Wanted]:
        """The PMDs whose histograms are shown."""
        plain = [wanted for wanted in self.wanted if wanted.by is None]
        return plain if HISTOGRAM in self.stats else []


def as_json(values: PmdValues, options: PmdOptions) -> dict[str, object]:
    """The members of a row; empty if no PMDs are shown."""
    if not options.wanted:
        return {}
    found: dict[str, dict[str, object]] = {}
    for _, wanted, stat in options.columns():
        name = stat or "ratio"
        found.setdefault(str(wanted), {})[name] = _figure(values, wanted, stat)
    for wanted in options.histograms():
        buckets = [vars(bucket) for bucket in values[wanted.pmd].histogram()]
        found.setdefault(str(wanted), {})[HISTOGRAM] = buckets
    for wanted in options.wanted:
        if wanted.by is None:
            found[str(wanted)]["samples"] = values[wanted.pmd].samples
    return {"pmds": found}


def as_csv(values: PmdValues, options: PmdOptions) -> dict[str, object]:
    """The figures by the names of their columns, without histograms."""
    return {n: _figure(values, wanted, stat) for n, wanted, stat in options.columns()}


def heads(options: PmdOptions) -> str:
    """The titles of the columns."""
    return "".join(f"{name:>{WIDTH}} " for name, _, _ in options.columns())


def cells(values: PmdValues, options: PmdOptions) -> str:
    """The columns of a row; "-" for a missing figure."""
    figures = [_figure(values, wanted, stat) for _, wanted, stat in options.columns()]
    return "".join(f"{_text(figure):>{WIDTH}} " for figure in figures)


def histograms(values: PmdValues, options: PmdOptions) -> Iterator[str]:
    """The lines of the histograms, which follow a row."""
    for wanted in options.histograms():
        for bucket in values[wanted.pmd].histogram():
            span = f"{wanted} {bucket.low}-{bucket.high}"
            yield f"{bucket.count:>12} {'':>9} {'':>10}    {span}\n"


def _figure(values: PmdValues, wanted: Wanted, stat: str) -> Optional[Number]:
    if wanted.by is not None:
        return ratio(values, wanted.pmd, wanted.by)
    return values[wanted.pmd].figure(stat)


def _text(figure: Optional[Number]) -> str:
    if figure is None:
        return "-"
    return str(figure) if isinstance(figure, int) else f"{figure:.4g}"
