# SPDX-License-Identifier: MIT OR GPL-2.0
"""The figures of values in a report, as columns, lines and JSON members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Iterator, Mapping, Optional, Sequence

from ..analysis.requests import HISTOGRAM, Wanted

if TYPE_CHECKING:
    from ..analysis.statistics import Number, Values

WIDTH = 14

Columns = Mapping[str, "Values"]


@dataclass(frozen=True)
class StatOptions:
    """The columns or ratios to show, and which figures of the columns to show."""

    wanted: Sequence[Wanted] = ()
    stats: Sequence[str] = ("sum",)

    def columns(self) -> Iterator[tuple[str, Wanted, str]]:
        """For each column of the output, yields its title, its values, and a figure.

        The values are a column of the samples or a ratio. The figure is an element of
        ``stats``, such as "mean"; for a ratio, it is "".
        """
        for wanted in self.wanted:
            if wanted.by is not None:
                yield str(wanted), wanted, ""
                continue
            for stat in self.stats:
                if stat != HISTOGRAM:
                    yield f"{wanted} {stat}", wanted, stat

    def histograms(self) -> list[Wanted]:
        """Returns the columns whose histograms are shown."""
        plain = [wanted for wanted in self.wanted if wanted.by is None]
        return plain if HISTOGRAM in self.stats else []


def as_json(values: Columns, options: StatOptions) -> dict[str, object]:
    """Returns members of a row in JSON: "pmds" for PMDs, "stats" for other columns."""
    found: dict[str, dict[str, dict[str, object]]] = {}

    def of(wanted: Wanted) -> dict[str, object]:
        member = "pmds" if wanted.of_pmds else "stats"
        return found.setdefault(member, {}).setdefault(str(wanted), {})

    for _, wanted, stat in options.columns():
        of(wanted)[stat or "ratio"] = _figure(values, wanted, stat)
    for wanted in options.histograms():
        buckets = values[wanted.name].histogram()
        of(wanted)[HISTOGRAM] = [vars(bucket) for bucket in buckets]
    for wanted in options.wanted:
        if wanted.by is None and wanted.of_pmds:
            of(wanted)["samples"] = values[wanted.name].samples
    return dict(found)


def as_csv(values: Columns, options: StatOptions) -> dict[str, object]:
    """Returns the figures by the titles of their columns, without histograms."""
    return {n: _figure(values, wanted, stat) for n, wanted, stat in options.columns()}


def heads(options: StatOptions) -> str:
    """Returns the titles of the columns."""
    return "".join(f"{name:>{WIDTH}} " for name, _, _ in options.columns())


def cells(values: Columns, options: StatOptions) -> str:
    """Returns the figures of a row as columns, with "-" for a missing figure."""
    return "".join(
        f"{_text(_figure(values, wanted, stat)):>{max(WIDTH, len(name))}} "
        for name, wanted, stat in options.columns()
    )


def histograms(values: Columns, options: StatOptions) -> Iterator[str]:
    """Yields the lines of a row's histograms, which are printed below the row."""
    for wanted in options.histograms():
        for bucket in values[wanted.name].histogram():
            span = f"{wanted} {bucket.low}-{bucket.high}"
            yield f"{bucket.count:>12} {'':>9} {'':>10}    {span}\n"


def _figure(values: Columns, wanted: Wanted, stat: str) -> Optional[Number]:
    if wanted.by is not None:
        return values[wanted.name].over(values[wanted.by])
    return values[wanted.name].figure(stat)


def _text(figure: Optional[Number]) -> str:
    if figure is None:
        return "-"
    return str(figure) if isinstance(figure, int) else f"{figure:.4g}"
