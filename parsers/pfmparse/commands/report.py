# SPDX-License-Identifier: MIT OR GPL-2.0
"""The report command: sum samples by function, thread, latency or another key."""

from __future__ import annotations

import argparse
import sys
from typing import Sequence, TextIO

from ..analysis import keys
from ..analysis.inputs import Input
from ..analysis.requests import Wanted
from ..analysis.weights import COUNT
from ..recording import Recording
from .opening import inputs_of, recordings_of, status_of, weight_of
from .outcome import BadInput, blaming
from .report_print import print_csv, print_json, print_text
from .report_rows import Options, Report, count_unknown, make
from .stat_columns import StatOptions


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
    """Returns the options of a report.

    Raises BadInput if --stat is given without values: --of is missing, and the weight
    is the number of samples.
    """
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
    """Returns whether to print a call report; raises BadInput if options conflict."""
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
    """Prints how many samples one file has, then raises BadInput.

    The error says why the samples cannot be decoded. If there are several files, prints
    nothing and only raises the error.
    """
    recording = source.recording
    assert recording.no_parser is not None
    with blaming(source.file):
        if len(arguments.file) == 1:
            options = _options(arguments, arguments.weight or COUNT)
            report = count_unknown(source, options)
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
