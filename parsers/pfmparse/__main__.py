# SPDX-License-Identifier: MIT OR GPL-2.0
"""Command line: python3 -m pfmparse COMMAND (docs/pfmparse.md)."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from importlib import import_module
from typing import NoReturn, Optional, Protocol, Sequence, cast

from . import __version__
from .commands.outcome import BAD_INPUT, OK, BadInput
from .text import ESCAPED, message, printable

NAME = "pfmparse"

# For each command, its module in commands/ and its help text.
COMMANDS = {
    "info": ("info", "show what was recorded"),
    "dump": ("dump", "print every sample, one per line"),
    "report": ("report", "count samples by function or another key"),
    "annotate": ("annotate", "show a function's samples beside its code and source"),
    "diff": ("diff", "compare two captures, or two sets of captures"),
    "timeline": ("timeline", "show samples over time, by another key if requested"),
    "mem": ("mem", "show slow memory accesses: loads, data, levels, TLBs"),
    "top": ("top", "show the hottest functions of a capture as it is written"),
    "show": ("show", "show the view that a capture requests"),
    "serve": ("serve", "serve a page with flame graph, tables and timeline"),
    "export": ("export", "write the samples in the format of another tool"),
    "extract": ("extract", "write each buffer of a capture, and its session, to files"),
    "session-template": ("session_template", "print a session to edit, for --session"),
}


class Parser(argparse.ArgumentParser):
    """An argument parser that escapes control characters in error messages."""

    def error(self, message: str) -> NoReturn:
        """Prints the usage and the message, and raises SystemExit(2)."""
        super().error(printable(message))


class Command(Protocol):
    """The module of a command."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Runs the command and returns its exit status; raises BadInput if it fails."""


def _parser() -> Parser:
    """Returns the argument parser for command lines without a leading command."""
    parser = Parser(
        prog=NAME, description="Decode perfmon captures and sampling buffers."
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}"
    )
    # Without prog, argparse would derive the program's name from a usage line, and
    # query the terminal's width to format that line.
    commands = parser.add_subparsers(dest="command", required=True, prog=parser.prog)
    for name, (_, text) in COMMANDS.items():
        commands.add_parser(name, help=text, description=text)
    return parser


def _parser_of(name: str) -> Parser:
    """Returns the argument parser of a command.

    The parsers of the other commands are not made: that would slow down every start.
    """
    parser = Parser(prog=f"{NAME} {name}", description=COMMANDS[name][1])
    parser.set_defaults(command=name)
    from .commands.options import OPTIONS  # only needed by commands

    OPTIONS[COMMANDS[name][0]](parser)
    return parser


def _module(name: str) -> Command:
    module = import_module(f".commands.{COMMANDS[name][0]}", __package__)
    return cast(Command, module)


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs a command line and returns its exit status.

    Raises SystemExit(2) on a usage error.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    if words and words[0] in COMMANDS:
        parser = _parser_of(words.pop(0))
    else:
        parser = _parser()
    arguments, rest = parser.parse_known_args(words)
    files = getattr(arguments, "file", None)
    if rest and (not isinstance(files, list) or any(w.startswith("-") for w in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest and isinstance(files, list):
        # If an option is between files, argparse does not accept the files after it.
        files += rest
    if getattr(arguments, "raw", False) != bool(getattr(arguments, "session", None)):
        parser.error("--raw and --session must be used together")
    if sys.stdout is None:
        message("standard output is closed")
        return BAD_INPUT
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=ESCAPED)
    try:
        status = _module(arguments.command).run(arguments)
        sys.stdout.flush()
        return status
    except BadInput as error:
        message(str(error))
    except BrokenPipeError:
        # The reader has closed the pipe. The interpreter flushes standard output again
        # at exit: let that go to the null device, so that it does not fail, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        message(f"{error.filename or 'standard output'}: {error.strerror}")
    return BAD_INPUT


def _open_missing_streams() -> None:
    """Opens the null device for standard streams that are closed.

    Otherwise files that are opened later would get the descriptors 0 to 2, and
    libraries would write their messages to these files.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    sys.stdin = sys.stdin or open(0, encoding="utf-8")
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")


def _stop(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def program() -> int:
    """Runs the program and returns its exit status.

    SIGTERM and SIGINT raise exceptions, so that partly written files are removed before
    the program ends.
    """
    _open_missing_streams()
    signal.signal(signal.SIGTERM, _stop)
    try:
        return main()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(program())
