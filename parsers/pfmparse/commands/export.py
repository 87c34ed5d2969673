# SPDX-License-Identifier: MIT OR GPL-2.0
"""The export command: write captures in the formats of other tools."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from ..errors import blamed
from ..exports import registry
from ..exports.interface import Export, ExportError, Job
from ..text import amount, json_text, message, printable
from . import summary
from .opening import inputs_of, recordings_of, status_of, weight_of
from .outcome import BadInput, blaming
from .writing import check_target, is_standard_output, replaced


def run(arguments: argparse.Namespace) -> int:
    """Writes the export; returns the exit status."""
    with blaming("--to"):
        export = registry.find(arguments.to)
    if export.name != "sql" and (arguments.dsn or arguments.rows):
        raise BadInput("--dsn and --rows need --to sql")
    if not arguments.output and not (export.appends and arguments.dsn):
        raise BadInput("no output file: use -o FILE")
    with inputs_of(arguments, arguments.file, export.detail) as inputs:
        path = Path(arguments.output or "")
        weight = weight_of(arguments, inputs)
        job = Job(inputs, path, weight, arguments.dsn, arguments.rows or "location")
        job.strict = arguments.strict
        return write_job(export, job, arguments.json)


def write_job(export: Export, job: Job, as_json: bool) -> int:
    """Writes an export to the job's path, completely or not at all.

    Prints a summary and returns the exit status. Raises BadInput if the export fails.
    """
    try:
        _write(export, job)
    finally:
        status = status_of(recordings_of(job.inputs))
    # If the export goes to standard output, the summary goes to standard error.
    aside = is_standard_output(job.target)
    _print(export, job, as_json, sys.stderr if aside else sys.stdout)
    return status


def _write(export: Export, job: Job) -> None:
    job.target = path = job.path
    if export.appends:
        _call(export, job)
        return
    check_target(path, [source.file for source in job.inputs])
    with blaming(str(path)), ExitStack() as files:

        def beside(suffix: str) -> Path:
            return files.enter_context(replaced(Path(f"{path}{suffix}")))

        job.path, job.beside = beside(""), beside
        _call(export, job)


def _call(export: Export, job: Job) -> None:
    """Runs the export; raises BadInput with the export's name if it fails."""
    try:
        with blaming(f"export {export.name}"):
            export.write(job)
            job.check()
    except (BadInput, MemoryError):
        raise
    except ExportError as error:
        raise BadInput(f"export {export.name}: {error}") from error
    # An export of another package may raise any exception: name the export.
    except Exception as error:
        raise BadInput(f"export {export.name}: {blamed(error)}") from error


def _print(export: Export, job: Job, as_json: bool, out: TextIO) -> None:
    """Prints what was written, and which data the format could not store."""
    samples = sum(source.selected for source in job.inputs)
    for text in job.lacks:
        message(f"{export.name} does not store {text}")
    # An export to a database has no file.
    file = None if job.target == Path() else str(job.target)
    if as_json:
        document: dict[str, object] = {
            "to": export.name,
            "file": file,
            "samples": samples,
            "not_carried": list(job.lacks),
            **summary.of_all([source.recording for source in job.inputs]),
        }
        out.write(json_text(document) + "\n")
    else:
        out.write(f"{printable(file or 'database')}: {amount(samples, 'samples')}\n")
