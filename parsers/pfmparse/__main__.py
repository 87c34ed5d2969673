# SPDX-License-Identifier: MIT OR GPL-2.0
"""Command line: python3 -m pfmparse COMMAND (docs/pfmparse.md)."""

from __future__ import annotations

import argparse
import io
import os
import sys
from pathlib import Path
from typing import Optional, Sequence

from . import __version__
from .capture.file import Capture
from .capture.session import parse_session
from .commands import dump, extract, info, report, session_template
from .errors import PfmParseError
from .recording import Recording, open_capture, open_raw

OK = 0
BAD_INPUT = 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pfmparse", description="Decode perfmon captures and sampling buffers."
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("info", "what was recorded"),
        ("dump", "every sample, one per line"),
        ("report", "how many samples each function has, or another key"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("file", metavar="FILE", help="capture, or buffer if --raw")
        command.add_argument("--json", action="store_true", help="print JSON")
        command.add_argument(
            "--raw", action="store_true", help="FILE is the image of one buffer"
        )
        command.add_argument(
            "--session",
            metavar="SESSION.json",
            help="with --raw: the session, as in a capture's SESS chunk",
        )
    _add_report_options(commands.choices["report"])
    text = "the buffers of a capture, a file each, and its session"
    command = commands.add_parser("extract", help=text, description=text)
    command.add_argument("file", metavar="FILE", help="capture")
    command.add_argument(
        "directory", metavar="DIR", type=Path, help="where to write; made if not there"
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    text = "a session to be edited, for --session"
    command = commands.add_parser("session-template", help=text, description=text)
    command.add_argument(
        "file",
        metavar="FORMAT",
        nargs="?",
        default="default",
        help="name of a format that is known, or a UUID; default: default",
    )
    return parser


def _add_report_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--by",
        metavar="KEY",
        default="function",
        help=f"{', '.join(report.KEYS)}, or a column of the format; default: function",
    )
    command.add_argument(
        "--top", type=_positive, metavar="N", help="only the first N rows"
    )
    command.add_argument(
        "--symfs",
        action="append",
        default=[],
        metavar="DIR",
        help="look for mapped files in DIR first; can be given several times",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _warn(file: str, message: object) -> None:
    print(f"pfmparse: {file}: {message}", file=sys.stderr)


def _run(arguments: argparse.Namespace, recording: Recording) -> None:
    """Prints what the command asks for."""
    out, file = sys.stdout, arguments.file
    if arguments.command == "report":
        options = report.Options(arguments.by, arguments.top, arguments.symfs)
        result = report.make(recording, options, lambda text: _warn(file, text))
        if arguments.json:
            report.print_json(result, recording, options.by, out)
        else:
            report.print_text(result, recording, file, out)
    elif arguments.command == "dump":
        if arguments.json:
            dump.print_json(recording, out)
        else:
            dump.print_text(recording, out)
    elif arguments.json:
        info.print_json(recording, out)
    else:
        info.print_text(recording, file, out)


def _decode(arguments: argparse.Namespace) -> int:
    """Runs the command on its file; PfmParseError and OSError if it cannot be read."""
    any_format = arguments.command in ("info", "report")
    with open(arguments.file, "rb") as stream:
        if arguments.raw:
            session = _session(arguments.session)
            recording = open_raw(stream.read(), session, any_format)
        else:
            recording = open_capture(stream, any_format)
        _run(arguments, recording)
    for problem in recording.problems:
        _warn(arguments.file, problem)
    if recording.no_parser is not None and arguments.command == "report":
        raise recording.no_parser
    return BAD_INPUT if recording.useless else OK


def _session(file: str) -> bytes:
    """The text of a session, SystemExit if that is none."""
    text = Path(file).read_bytes()
    try:
        parse_session(text, 0)
    except PfmParseError as error:
        _warn(file, error)
        sys.exit(BAD_INPUT)
    return text


def _extract(arguments: argparse.Namespace) -> int:
    """Runs extract; PfmParseError and OSError if it cannot."""
    with open(arguments.file, "rb") as stream:
        capture = Capture(stream)
        if arguments.json:
            extract.print_json(capture, arguments.directory, sys.stdout)
        else:
            extract.print_text(capture, arguments.directory, sys.stdout)
    for problem in capture.problems:
        _warn(arguments.file, problem)
    return OK


def _template(arguments: argparse.Namespace) -> int:
    """Prints a session; PfmParseError if the format is not known."""
    session_template.print_text(arguments.file, sys.stdout)
    return OK


RUN = {"extract": _extract, "session-template": _template}


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs a command line; returns the exit status, SystemExit(2) on wrong usage."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command not in RUN and arguments.raw != bool(arguments.session):
        parser.error("--raw and --session need each other")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = RUN.get(arguments.command, _decode)(arguments)
        sys.stdout.flush()
        return status
    except PfmParseError as error:
        _warn(arguments.file, error)
    except BrokenPipeError:
        # The reader is gone; keep the interpreter from flushing again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        _warn(error.filename or arguments.file, error.strerror)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
