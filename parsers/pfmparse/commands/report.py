# SPDX-License-Identifier: MIT OR GPL-2.0
"""The report command: samples by function, thread, latency or another key."""

from __future__ import annotations

import json
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Sequence, TextIO

from ..errors import PfmParseError
from ..recording import Recording
from . import summary
from .report_keys import ROLES, TALLIES, Row, Tally, tally_by
from .report_locations import SAME, TITLES, Locations
from .text import printable

# What any format can be counted by if it has it; besides, its columns.
KEYS = tuple(dict.fromkeys((*TITLES, *TALLIES, *ROLES)))
LARGE = 1 << 14  # samples; with fewer, the threads wait for each other


@dataclass(frozen=True)
class Options:
    """What to report; ``top`` limits the number of rows, None is all."""

    by: str
    top: Optional[int]
    symfs: Sequence[str]


@dataclass(frozen=True)
class Report:
    """The rows, most samples first, and the total of all samples.

    There is no ``title`` if the samples cannot be read. ``summary`` has further
    figures by name.
    """

    title: str
    total: int
    rows: list[Row]
    summary: Mapping[str, object]


def make(recording: Recording, options: Options, warn: Callable[[str], None]) -> Report:
    """Reads the recording and counts its samples.

    PfmParseError if the entries lack the field by which to count. ``warn`` is called
    with the reason if symbols are missing. Of a format without a parser there are no
    rows, but the total and what was lost, if the buffers say so.
    """
    if recording.no_parser is not None:
        return _of_unknown(recording, recording.no_parser)
    by = SAME.get(options.by, options.by)
    if by in TITLES:
        tally: Tally = Locations(by, options.symfs, warn)
    else:
        tally = tally_by(by)
    _count(recording, tally)
    rows = sorted(tally.rows(recording), key=_order)
    total = sum(row.count for row in rows)
    return Report(tally.title, total, rows[: options.top], tally.summary())


def _of_unknown(recording: Recording, why: PfmParseError) -> Report:
    """Counts samples that cannot be read; PfmParseError if even that cannot be."""
    for _ in recording.batches():
        pass
    if recording.uncounted:
        raise why
    return Report("", recording.samples, [], {})


def _count(recording: Recording, tally: Tally) -> None:
    """Counts large batches in a thread while the next ones are being read."""
    with ThreadPoolExecutor(max_workers=1) as worker:
        counted: Future[None] = worker.submit(lambda: None)
        for batch in recording.batches():
            counted.result()
            if batch.samples.count < LARGE:
                tally.add(batch)
            else:
                counted = worker.submit(tally.add, batch)
        counted.result()


def _order(row: Row) -> tuple[int, str, str]:
    key = f"{row.key:020}" if isinstance(row.key, int) else row.key
    return -row.count, key, row.label


def print_json(report: Report, recording: Recording, by: str, out: TextIO) -> None:
    """One JSON object, as docs/pfmparse.md describes it."""
    rows: list[dict[str, object]] = [
        {
            "key": row.key,
            "count": row.count,
            "percent": 100 * row.count / report.total,
            **row.extra,
        }
        for row in report.rows
    ]
    document = {
        "by": by,
        "total": report.total,
        **report.summary,
        **summary.as_json(recording),
        "rows": rows,
    }
    json.dump(document, out)
    out.write("\n")


def print_text(report: Report, recording: Recording, file: str, out: TextIO) -> None:
    """The flat profile, followed by what was sampled and lost."""
    if report.title:
        _print_rows(report, out)
    out.write(f"samples: {report.total}\n")
    for name, figure in report.summary.items():
        out.write(f"{name.replace('_', ' ')}: {figure}\n")
    for name, value in summary.lines(recording):
        out.write(f"{name}: {value}\n")
    out.write(f"file: {printable(file)}\n")


def _print_rows(report: Report, out: TextIO) -> None:
    """The flat profile, and an empty line."""
    out.write(f"{'samples':>12} {'percent':>9} {'cumulative':>10}  {report.title}\n")
    sum_of_rows = 0
    for row in report.rows:
        sum_of_rows += row.count
        percent = f"{100 * row.count / report.total:.2f}%"
        cumulative = f"{100 * sum_of_rows / report.total:.2f}%"
        label = printable(row.label)
        out.write(f"{row.count:>12} {percent:>9} {cumulative:>10}  {label}\n")
    out.write("\n")
