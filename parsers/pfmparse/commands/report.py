# SPDX-License-Identifier: MIT OR GPL-2.0
"""The report command: samples by function, thread, latency or another key."""

from __future__ import annotations

import argparse
import sys
from typing import Sequence, TextIO

from ..analysis import keys
from ..analysis.inputs import Input
from ..analysis.statistics import Wanted, check_stat, parse_wanted
from ..analysis.weights import COUNT
from ..recording import Recording
from ..symbols.options import add_symbol_options
from .arguments import (
    add_files,
    add_selection,
    add_top,
    add_weight,
    each,
    pattern,
    percentage,
    words,
)
from .opening import inputs_of, recordings_of, status_of, weight_of
from .outcome import BadInput, blaming
from .report_print import print_csv, print_json, print_text
from .report_rows import Options, Report, count_unknown, make
from .stat_columns import StatOptions


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_files(parser, many=True)
    parser.add_argument("--csv", action="store_true", help="print the rows as CSV")
    parser.add_argument(
        "--by",
        metavar="KEY,...",
        type=words,
        default=["function"],
        help=f"{', '.join(keys.NAMES)}, or a column of the format; default: function",
    )
    add_top(parser)
    parser.add_argument(
        "--min-percent",
        type=percentage,
        metavar="P",
        default=0.0,
        help="print only rows with at least P percent of the total",
    )
    parser.add_argument(
        "--of",
        "--pmd",
        dest="of",
        metavar="WHAT,...",
        type=each(parse_wanted),
        default=[],
        help="print figures of these values: a column, PMD N, or the ratio N/M; "
        "default with --stat: the weight",
    )
    parser.add_argument(
        "--stat",
        metavar="FIGURE,...",
        type=each(check_stat),
        help="figures to print: sum, mean, min, max, count, hist (a histogram), "
        "percentiles such as p99; default with --of: sum",
    )
    calls = parser.add_argument_group(
        "calls", "Reports of formats that record call graphs; by function only."
    ).add_mutually_exclusive_group()
    calls.add_argument(
        "--cumulative",
        action="store_true",
        help="count the samples of callees for each function, too",
    )
    calls.add_argument(
        "--callers",
        action="store_true",
        help="like --cumulative, with the callers of each function",
    )
    calls.add_argument(
        "--callees",
        action="store_true",
        help="like --cumulative, with the callees of each function",
    )
    calls.add_argument(
        "--caller-of",
        metavar="REGEX",
        type=pattern,
        help="print callers of the functions whose name matches REGEX anywhere",
    )
    add_weight(parser)
    add_selection(parser)
    add_symbol_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the report; returns the exit status."""
    if arguments.csv and arguments.json:
        raise BadInput("--csv cannot be combined with --json")
    if _wants_calls(arguments):
        return _run_calls(arguments)
    detail = keys.detail_of(arguments.by)
    with inputs_of(arguments, arguments.file, detail, any_format=True) as inputs:
        unknown = [source for source in inputs if source.recording.no_parser]
        if unknown:
            return _run_unknown(unknown[0], arguments)
        report = make(inputs, _options(arguments, weight_of(arguments, inputs)))
        _print(report, recordings_of(inputs), arguments, sys.stdout)
        return status_of(recordings_of(inputs))


def _options(arguments: argparse.Namespace, weight: str) -> Options:
    """The options of a report with this weight; BadInput if --stat lacks values."""
    wanted = arguments.of
    if arguments.stat and not wanted:
        if weight == COUNT:
            text = "needs values: use --of or --weight with a column or PMD"
            raise BadInput(f"--stat {text}")
        wanted = [Wanted(weight)]
    return Options(
        arguments.by,
        weight,
        arguments.top,
        arguments.min_percent,
        StatOptions(wanted, arguments.stat or ["sum"]),
    )


def _wants_calls(arguments: argparse.Namespace) -> bool:
    """True for a call report; BadInput if other options do not allow one."""
    calls = (arguments.callers, arguments.callees, arguments.cumulative)
    if not any(calls) and arguments.caller_of is None:
        return False
    others = arguments.of, arguments.stat, arguments.csv
    if list(arguments.by) != ["function"] or any(others):
        text = "call reports are by function only"
        raise BadInput(f"{text}: remove --by, --of, --pmd, --stat and --csv")
    return True


def _run_calls(arguments: argparse.Namespace) -> int:
    """Prints a call report; returns the exit status."""
    from . import report_calls  # slow to import, and rarely needed

    lines = report_calls.CALLEES if arguments.callees else None
    if arguments.callers or arguments.caller_of:
        lines = report_calls.CALLERS
    with inputs_of(arguments, arguments.file, keys.detail_of(["function"])) as inputs:
        options = report_calls.CallOptions(
            lines,
            arguments.caller_of,
            weight_of(arguments, inputs),
            arguments.top,
            arguments.min_percent,
        )
        report = report_calls.make(inputs, options)
        recordings = recordings_of(inputs)
        if arguments.json:
            plain = [recording for _, recording in recordings]
            report_calls.print_json(report, plain, sys.stdout)
        else:
            report_calls.print_text(report, recordings, sys.stdout)
        return status_of(recordings)


def _run_unknown(source: Input, arguments: argparse.Namespace) -> int:
    """Counts samples that cannot be decoded; raises BadInput with the reason."""
    recording = source.recording
    assert recording.no_parser is not None
    with blaming(source.file):
        if len(arguments.file) == 1:
            options = _options(arguments, arguments.weight or COUNT)
            report = count_unknown(recording, options)
            _print(report, [(source.file, recording)], arguments, sys.stdout)
            status_of([(source.file, recording)])
        raise recording.no_parser


def _print(
    report: Report,
    recordings: Sequence[tuple[str, Recording]],
    arguments: argparse.Namespace,
    out: TextIO,
) -> None:
    if arguments.csv:
        print_csv(report, out)
    elif arguments.json:
        print_json(report, [recording for _, recording in recordings], out)
    else:
        print_text(report, recordings, out)
