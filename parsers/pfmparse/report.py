# SPDX-License-Identifier: MIT OR GPL-2.0
"""The report command: samples by function, address, line, thread, CPU or PMD."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Optional, Sequence, TextIO, Union

import numpy as np

from .counts import PairCounts, U64s
from .errors import PfmParseError
from .recording import Batch, Recording
from .samples import Column, Samples
from .symbols import UNKNOWN, Addresses, Location, Resolver
from .text import printable

BY_LOCATION = ("function", "ip", "line")
TITLES = {
    "function": "function (object)",
    "ip": "ip function (object)",
    "line": "line function (object)",
}
BY_COLUMN = {"tid": "pid", "cpu": "cpu", "pmd": "ovfl_pmd"}
KEYS = (*BY_LOCATION, *BY_COLUMN)

NO_TGID = (1 << 32) - 1  # no process has it


@dataclass(frozen=True)
class Options:
    """What to report; ``top`` is the greatest number of rows, None for all."""

    by: str
    top: Optional[int]
    symfs: Sequence[str]


@dataclass(frozen=True)
class Row:
    """A line of the report; ``extra`` holds what JSON has beside the count."""

    key: Union[str, int]
    label: str
    count: int
    extra: dict[str, object]


@dataclass(frozen=True)
class Report:
    """The rows, those with the most samples first, and the sum of all of them."""

    total: int
    rows: list[Row]


def make(recording: Recording, options: Options, warn: Callable[[str], None]) -> Report:
    """Reads the recording and counts its samples.

    PfmParseError if the entries lack the field by which to count. ``warn`` is told
    why symbols are missing.
    """
    counts = PairCounts()
    for batch in recording.batches():
        if options.by in BY_LOCATION:
            _add_addresses(counts, batch, recording)
        elif options.by == "pmd":
            counts.add(
                _column(batch.samples, "set"), _column(batch.samples, "ovfl_pmd")
            )
        else:
            column = _column(batch.samples, BY_COLUMN[options.by])
            counts.add(np.zeros_like(column), column)
    rows = sorted(_rows(counts, recording, options, warn), key=_order)
    return Report(sum(row.count for row in rows), rows[: options.top])


def _order(row: Row) -> tuple[int, str, str]:
    key = f"{row.key:020}" if isinstance(row.key, int) else row.key
    return -row.count, key, row.label


def _column(samples: Samples, name: str) -> Column:
    """A field of the entries; PfmParseError if they were recorded without."""
    try:
        return samples.columns[name]
    except KeyError:
        raise PfmParseError(f"the samples have no {name}", 0) from None


def _add_addresses(counts: PairCounts, batch: Batch, recording: Recording) -> None:
    """Counts by address space (epoch of the mappings << 32 | tgid) and address."""
    ip = _column(batch.samples, "ip")
    tgid = batch.samples.columns.get("tgid")
    if tgid is None:
        tgid = np.full(ip.shape, NO_TGID, np.uint32)
    space = tgid.astype(np.uint32).astype(np.uint64)
    counts.add(space | np.uint64(batch.epoch << 32), ip)


def _rows(
    counts: PairCounts,
    recording: Recording,
    options: Options,
    warn: Callable[[str], None],
) -> Iterable[Row]:
    first, second, number = counts.result()
    if options.by in BY_LOCATION:
        source, lines = recording.source, options.by == "line"
        resolver = Resolver(source.maps, source.kernel, options.symfs, lines, warn)
        locations = resolver.resolve(_addresses(first, second, recording))
        return _location_rows(locations, second.tolist(), number.tolist(), options.by)
    if options.by == "pmd":
        return _pmd_rows(first.tolist(), second.tolist(), number.tolist(), recording)
    return [
        Row(key, str(key), count, {})
        for key, count in zip(second.tolist(), number.tolist())
    ]


def _addresses(space: U64s, ip: U64s, recording: Recording) -> Addresses:
    """The addresses as they were counted, with the process that is not recorded."""
    tgid = space & np.uint64(NO_TGID)
    only = recording.source.maps.only_tgid()
    if only is not None:
        tgid[tgid == NO_TGID] = only
    return Addresses(space >> np.uint64(32), tgid, ip)


def _location_rows(
    locations: list[Location], ips: list[int], counts: list[int], by: str
) -> Iterator[Row]:
    """One row for each function, address or line; equal ones are added up."""
    sums: dict[tuple[Location, int], int] = defaultdict(int)
    for location, ip, count in zip(locations, ips, counts):
        sums[location, ip if by == "ip" else 0] += count
    for (location, ip), count in sums.items():
        extra: dict[str, object] = {
            "symbol": location.symbol,
            "object": location.object,
        }
        name = location.symbol or location.object
        label = f"{location.symbol or UNKNOWN} ({location.object})"
        if by == "ip":
            extra["address"] = ip
            name = f"{ip:#x}"
            label = f"{name} {label}"
        elif location.line is not None:
            name = location.line
            label = f"{name} {label}"
        yield Row(name, label, count, extra)


def _pmd_rows(
    sets: list[int], pmds: list[int], counts: list[int], recording: Recording
) -> Iterator[Row]:
    events = {
        (s.id, pmd.num): pmd.event for s in recording.session.sets for pmd in s.pmds
    }
    for event_set, pmd, count in zip(sets, pmds, counts):
        event = events[event_set, pmd]
        label = f"{pmd} {event} (set {event_set})"
        yield Row(pmd, label, count, {"set": event_set, "event": event})


def print_json(report: Report, recording: Recording, by: str, out: TextIO) -> None:
    """One JSON object, as docs/parsers.md describes it."""
    rows: list[dict[str, object]] = [
        {
            "key": row.key,
            "count": row.count,
            "percent": 100 * row.count / report.total,
            **row.extra,
        }
        for row in report.rows
    ]
    document = {"by": by, "total": report.total, **recording.summary(), "rows": rows}
    json.dump(document, out)
    out.write("\n")


def print_text(
    report: Report, recording: Recording, by: str, file: str, out: TextIO
) -> None:
    """The flat profile, and under it what was sampled and lost."""
    title = TITLES.get(by, by)
    out.write(f"{'samples':>12} {'percent':>9} {'cumulative':>10}  {title}\n")
    sum_of_rows = 0
    for row in report.rows:
        sum_of_rows += row.count
        percent = f"{100 * row.count / report.total:.2f}%"
        cumulative = f"{100 * sum_of_rows / report.total:.2f}%"
        label = printable(row.label)
        out.write(f"{row.count:>12} {percent:>9} {cumulative:>10}  {label}\n")
    out.write(f"\nsamples: {report.total}\n")
    for name, value in recording.summary_lines():
        out.write(f"{name}: {value}\n")
    out.write(f"file: {printable(file)}\n")
