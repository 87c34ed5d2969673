# SPDX-License-Identifier: MIT OR GPL-2.0
"""The export command: captures in the formats of other tools."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Sequence, TextIO

from ..analysis.inputs import Input
from ..errors import blamed
from ..exports import registry
from ..exports.interface import Export, ExportError, Job
from ..symbols.options import add_symbol_options
from ..text import message, printable
from . import summary
from .arguments import add_files, add_selection, add_weight
from .opening import BadInput, blaming, inputs_of, recordings_of, status_of
from .writing import check_target, is_standard_output, replaced


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_files(parser, many=True)
    parser.add_argument(
        "--to",
        required=True,
        metavar="FORMAT",
        help=f"output format: {', '.join(registry.names())}",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="output file")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="fail, and write nothing, if the format cannot store everything",
    )
    parser.add_argument(
        "--dsn",
        metavar="DSN",
        help="with --to sql: write to this PostgreSQL database instead of a file",
    )
    parser.add_argument(
        "--rows",
        choices=("sample", "location"),
        default="sample",
        help="with --to sql: one row per sample or per location; default: sample",
    )
    add_weight(parser)
    add_selection(parser)
    add_symbol_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Writes the export; returns the exit status."""
    with blaming("--to"):
        export = registry.find(arguments.to)
    if export.name != "sql" and (arguments.dsn or arguments.rows != "sample"):
        raise BadInput("--dsn and --rows need --to sql")
    if not arguments.output and not (export.appends and arguments.dsn):
        raise BadInput("no output file: use -o FILE")
    with inputs_of(arguments, arguments.file, export.detail) as inputs:
        try:
            job = _write(export, inputs, arguments)
        finally:
            status = status_of(recordings_of(inputs))
        # Do not mix the summary into an export that goes to the standard output.
        aside = is_standard_output(Path(arguments.output or ""))
        _print(export, job, arguments, sys.stderr if aside else sys.stdout)
        return status


def _write(
    export: Export, inputs: Sequence[Input], arguments: argparse.Namespace
) -> Job:
    """Writes the export completely or not at all; BadInput if that fails."""
    path = Path(arguments.output or "")
    job = Job(inputs, path, arguments.weight, arguments.dsn, arguments.rows)
    job.strict, job.target = arguments.strict, path
    if export.appends:
        _call(export, job)
        return job
    check_target(path, arguments.file)
    with blaming(str(path)), ExitStack() as files:

        def beside(suffix: str) -> Path:
            return files.enter_context(replaced(Path(f"{path}{suffix}")))

        job.path, job.beside = beside(""), beside
        _call(export, job)
    return job


def _call(export: Export, job: Job) -> None:
    """Runs the export; BadInput with the export's name if it fails."""
    try:
        with blaming(f"export {export.name}"):
            export.write(job)
            job.check()
    except (BadInput, MemoryError):
        raise
    except ExportError as error:
        raise BadInput(f"export {export.name}: {error}") from error
    # An export of another package may raise anything: name the export.
    except Exception as error:
        raise BadInput(f"export {export.name}: {blamed(error)}") from error


def _print(
    export: Export, job: Job, arguments: argparse.Namespace, out: TextIO
) -> None:
    """Prints what was written, and what the format could not store."""
    samples = sum(source.selected for source in job.inputs)
    for text in job.lacks:
        message(f"{export.name} does not store {text}")
    if arguments.json:
        document = {
            "to": export.name,
            "file": arguments.output,
            "samples": samples,
            "not_carried": list(job.lacks),
            **summary.of_all([source.recording for source in job.inputs]),
        }
        out.write(json.dumps(document) + "\n")
    else:
        name = printable(arguments.output or "database")
        out.write(f"{name}: {samples} samples\n")
