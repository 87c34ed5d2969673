# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print a report as text, JSON or CSV."""

from __future__ import annotations

from typing import Sequence, TextIO, Union

from ..analysis.row_sums import Row
from ..analysis.weights import COUNT
from ..recording import Recording
from ..text import json_text, printable
from . import stat_columns, summary
from .report_rows import Report


def print_json(report: Report, recordings: Sequence[Recording], out: TextIO) -> None:
    """Prints one JSON object, as docs/pfmparse.md describes it."""
    by, weighed = report.options.by, report.options.weight != COUNT
    document: dict[str, object] = {"by": one_or_all(by), "total": report.samples}
    if weighed:
        document |= {"weight": report.options.weight, "total_weight": report.weight}
    document |= {**report.figures, **summary.of_all(recordings)}
    document["rows"] = [_row_as_json(row, report, weighed) for row in report.rows]
    out.write(json_text(document))
    out.write("\n")


def _row_as_json(row: Row, report: Report, weighed: bool) -> dict[str, object]:
    figures: dict[str, object] = {"count": row.samples}
    if weighed:
        figures["weight"] = row.weight
    figures["percent"] = report.percent(row)
    found: dict[str, object] = {"key": one_or_all([v.key for v in row.values])}
    found |= figures
    for value in row.values:
        found |= value.extra
    return found | stat_columns.as_json(row.stats, report.options.stats)


def one_or_all(things: Sequence[Union[str, int]]) -> object:
    """Returns the element if there is only one, otherwise a list."""
    return things[0] if len(things) == 1 else list(things)


def print_text(
    report: Report, recordings: Sequence[tuple[str, Recording]], out: TextIO
) -> None:
    """Prints the flat profile, followed by the totals and losses."""
    if report.titles:
        _print_rows(report, out)
    out.write(f"samples: {report.samples}\n")
    if report.options.weight != COUNT:
        out.write(f"{report.options.weight}: {report.weight}\n")
    for name, figure in report.figures.items():
        out.write(f"{name.replace('_', ' ')}: {figure}\n")
    summary.print_all(recordings, out)


def _print_rows(report: Report, out: TextIO) -> None:
    """Prints the flat profile and an empty line."""
    weighed, stats = report.options.weight != COUNT, report.options.stats
    extra = f"{report.options.weight:>20} " if weighed else ""
    extra += stat_columns.heads(stats)
    title = "  ".join(report.titles)
    out.write(f"{'samples':>12} {extra}{'percent':>9} {'cumulative':>10}  {title}\n")
    sum_of_rows = 0.0
    for row in report.rows:
        share = report.percent(row)
        sum_of_rows += share
        percent, cumulative = f"{share:.2f}%", f"{sum_of_rows:.2f}%"
        extra = f"{row.weight:>20} " if weighed else ""
        # Save time if no figures are wanted: there may be a row for each address.
        if stats.wanted:
            extra += stat_columns.cells(row.stats, stats)
        label = printable("  ".join([value.label for value in row.values]))
        out.write(f"{row.samples:>12} {extra}{percent:>9} {cumulative:>10}  {label}\n")
        if stats.wanted:
            out.writelines(stat_columns.histograms(row.stats, stats))
    out.write("\n")


def print_csv(report: Report, out: TextIO) -> None:
    """Prints a header and a line for each row; unknown values are empty."""
    weighed = report.options.weight != COUNT
    rows = [_row_as_csv(row, report, weighed) for row in report.rows]
    names = dict.fromkeys(name for row in rows for name in row)
    heads = [*names] or [*report.options.by, "count", "percent"]
    import csv  # slow to import, and rarely needed

    writer = csv.DictWriter(out, heads, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _row_as_csv(row: Row, report: Report, weighed: bool) -> dict[str, object]:
    keys = zip(report.options.by, (value.key for value in row.values))
    found: dict[str, object] = {**dict(keys), "count": row.samples}
    if weighed:
        found[report.options.weight] = row.weight
    found["percent"] = f"{report.percent(row):.4f}"
    for value in row.values:
        # With several keys, an extra column may have the same name as another key.
        found |= {
            name: extra for name, extra in value.extra.items() if name not in found
        }
    return found | stat_columns.as_csv(row.stats, report.options.stats)
