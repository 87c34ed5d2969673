# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print histograms of memory accesses, laid out like those of the old dear-hist.

dear-hist was a module of the original pfmon.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Iterator, Optional, Sequence, TextIO

from ..analysis.first_rows import Wanted
from ..analysis.levels import Thresholds
from ..analysis.memory import Row
from ..analysis.requests import (
    ADDRESS,
    CACHELINE,
    COUNT,
    DATA,
    FUNCTION,
    LATENCY,
    LEVEL,
    LINE,
    PAGE,
    SYMBOL,
    TLB,
)
from ..analysis.weights import COUNT as WEIGHT
from ..formats.data_source import UNKNOWN
from ..text import printable


@dataclass(frozen=True)
class Options:
    """The view, the kind of rows, the sort key and the number of rows to show.

    ``khz`` is used to convert cycles to ns; None means the machine's frequency.
    """

    view: str = "inst"
    per: Optional[str] = None
    sort: str = COUNT
    top: Optional[int] = None
    cum: float = 100.0
    thresholds: Optional[Thresholds] = None
    khz: Optional[int] = None
    weight: str = WEIGHT

    @property
    def wanted(self) -> Wanted:
        """The rows to show."""
        return Wanted(self.sort, self.top, self.cum)


@dataclass(frozen=True)
class Histogram:
    """The rows to show, in order, and totals of all samples.

    ``names`` are the names of the classes (memory levels or TLB results); ``of_each``
    is the number of samples in each class. ``thresholds`` are the latencies that
    separate the levels, None if latencies were not used. ``sources`` is set if levels
    were derived from data sources. ``translations`` is set if the classes are TLB
    results. ``of_data`` is set if rows are data addresses. ``with_latencies`` is False
    if the latencies of rows are unknown. ``sums`` is set if the format records only
    sums of latencies.
    """

    options: Options
    per: str
    samples: int
    rows: Sequence[Row]
    names: Sequence[str]
    of_each: Sequence[int]
    thresholds: Optional[Thresholds]
    sources: bool
    khz: Optional[int]
    lost: int
    skipped: int
    translations: bool
    of_data: bool
    with_latencies: bool = True
    sums: bool = False

    def percent(self, count: int) -> float:
        """Returns ``count`` samples as a percentage of all samples."""
        return 100 * count / self.samples if self.samples else 0.0

    def columns(self) -> list[int]:
        """Returns the indices of the classes to show.

        These are the classes with samples and, if only latencies determine the levels,
        also those that dear-hist always shows. If all levels are unknown, returns an
        empty list.
        """
        always = [] if self.sources or self.thresholds is None else ["L2", "L3", "RAM"]
        there = [at for at, number in enumerate(self.of_each) if number]
        found = {self.names.index(name) for name in always} | set(there)
        return [] if found == {self.names.index(UNKNOWN)} else sorted(found)

    def running(self) -> Iterator[tuple[Row, int]]:
        """Yields each row, with the sum of the samples up to and including this row."""
        return zip(self.rows, accumulate(row.samples for row in self.rows))


ADDRESS_WIDTH = 18  # characters
WHERE = {"LFB": "a line fill buffer", "RAM": "memory"}
WHERE |= {"other": "another source", UNKNOWN: "an unknown level"}
TRANSLATED = {
    "L1": "found in the first-level TLB, or in a TLB of unknown level",
    "L2": "found in the second-level TLB",
    "walk": "found by the hardware page walker",
    "OS": "found by the operating system",
    "miss": "missed by the TLBs",
    UNKNOWN: "found in an unknown place",
}

# Titles of rows by view and kind; other combinations have USUAL_TITLES.
TITLES = {
    (DATA, ADDRESS): "data addr",
    (DATA, SYMBOL): "data symbol addr",
    (DATA, CACHELINE): "data line addr",
    (DATA, PAGE): "data page addr",
}
USUAL_TITLES = {
    ADDRESS: "instruction addr",
    FUNCTION: "function addr",
    SYMBOL: "function addr",
    LINE: "line",
    CACHELINE: "code line addr",
    PAGE: "code page addr",
    LEVEL: "level",
    LATENCY: "level",
}


def print_text(histogram: Histogram, out: TextIO) -> None:
    """Prints the histogram below its header."""
    for line in _header(histogram):
        out.write(f"# {line}\n")
    if histogram.per in (LEVEL, LATENCY):
        _print_levels(histogram, out)
    else:
        _print_places(histogram, out)


def _title(histogram: Histogram) -> str:
    side = DATA if histogram.of_data else ""
    return TITLES.get((side, histogram.per), USUAL_TITLES[histogram.per])


def _header(histogram: Histogram) -> Iterator[str]:
    """Yields the header lines: totals, view, sort key and meaning of the columns."""
    per, thresholds = histogram.per, histogram.thresholds
    view = TLB if histogram.translations and per == LEVEL else _title(histogram)
    weight = histogram.options.weight
    what = "samples" if weight == WEIGHT else weight
    yield f"total_{what} {histogram.samples}"
    if histogram.lost:
        yield f"lost_samples {histogram.lost}"
    if histogram.skipped:
        yield f"skipped_samples {histogram.skipped}"
    yield f"{view} view"
    yield f"sorted by {histogram.options.sort}"
    grouped = per in (FUNCTION, SYMBOL)
    yield f"showing per {per} histogram" if grouped else "showing per distinct value"
    if thresholds is not None:
        yield f"L2   : {thresholds.l2:>2} cycles load latency"
        yield f"L3   : {thresholds.l3:>2} cycles load latency"
    if histogram.sources:
        yield "levels are from the data source"
    if per not in (LEVEL, LATENCY):
        yield from _columns_explained(histogram)


def _columns_explained(histogram: Histogram) -> Iterator[str]:
    names = [histogram.names[at] for at in histogram.columns()]
    if not names and not histogram.translations:
        remedy = "use --l2 and --l3 to classify by latency"
        why = "the format records only sums of latencies"
        yield f"levels are unknown: {why if histogram.sums else remedy}"
    for name in names:
        yield f"{'%' + name:<5}: {_explained(name, histogram)}"


def _explained(name: str, histogram: Histogram) -> str:
    """Returns a column's description; L2, L3 and RAM are worded as in dear-hist."""
    if histogram.translations:
        return f"percentage of addresses whose translation was {TRANSLATED[name]}"
    what = "samples" if histogram.sources else "L1 misses"
    return f"percentage of {what} that hit {WHERE.get(name, name)}"


def _print_places(histogram: Histogram, out: TextIO) -> None:
    """Prints rows of instructions or data, with the share of each class."""
    columns = histogram.columns()
    names = "".join(f"{'%' + histogram.names[at]:>8}" for at in columns)
    title = _title(histogram)
    out.write(f"# #count   %self    %cum{names} {title:>{ADDRESS_WIDTH}}\n")
    for row, so_far in histogram.running():
        parts = "".join(_percent(100 * row.classes[at] / row.samples) for at in columns)
        place = "" if row.address is None else f" {row.address:#0{ADDRESS_WIDTH}x}"
        label = f" {printable(row.value.label)}" if row.value.label else ""
        out.write(f"{_counts(histogram, row, so_far)}{parts}{place}{label}\n")


def _print_levels(histogram: Histogram, out: TextIO) -> None:
    """Prints rows of latencies, or of levels with their mean latency."""
    named = histogram.per == LEVEL
    title = "  level" if named else ""
    out.write(f"# #count   %self    %cum lat(cycles) lat(ns){title}\n")
    for row, so_far in histogram.running():
        cycles = ns = "-"
        if histogram.with_latencies:
            cycles = str(_rounded(row.latency, row.samples))
        if histogram.with_latencies and histogram.khz is not None:
            ns = str(_rounded(row.latency * 10**6, row.samples * histogram.khz))
        label = f"  {printable(row.value.label)}" if named else ""
        counts = _counts(histogram, row, so_far)
        out.write(f"{counts} {cycles:>11} {ns:>7}{label}\n")


def _counts(histogram: Histogram, row: Row, so_far: int) -> str:
    self_and_sum = histogram.percent(row.samples), histogram.percent(so_far)
    return f"{row.samples:>8}" + "".join(map(_percent, self_and_sum))


def _percent(value: float) -> str:
    return f"{value:>7.2f}%"


def _rounded(dividend: int, divisor: int) -> int:
    """Returns the quotient, rounded half up."""
    return (2 * dividend + divisor) // (2 * divisor)
