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
from .commands.opening import BAD_INPUT, OK, BadInput

# The module of each command in commands/, and what the command tells.
COMMANDS = {
    "info": ("info", "what was recorded"),
    "dump": ("dump", "every sample, one per line"),
    "report": ("report", "how many samples each function has, or another key"),
    "annotate": ("annotate", "a function's samples beside its code and source"),
    "diff": ("diff", "what two captures, or two sets of them, do not have in common"),
    "timeline": ("timeline", "samples by time, and by another key beside it"),
    "mem": ("mem", "where memory was slow: loads, data, levels, TLBs"),
    "top": ("top", "functions that run now, of a capture that is being written"),
    "show": ("show", "the view that a capture asks for"),
    "export": ("export", "the samples in the format of another tool"),
    "extract": ("extract", "the buffers of a capture, a file each, and its session"),
    "session-template": ("session_template", "a session to be edited, for --session"),
}


class Command(Protocol):
    """The module of a command."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Its options."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Does it; the exit status. BadInput, with a message, if it cannot."""


def _parser(chosen: Optional[str]) -> argparse.ArgumentParser:
    """The parser; only the ``chosen`` command has its options: others' take time."""
    parser = argparse.ArgumentParser(
        prog="pfmparse", description="Decode perfmon captures and sampling buffers."
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}"
    )
    # Without its name, argparse would look up how wide the terminal is.
    commands = parser.add_subparsers(dest="command", required=True, prog=parser.prog)
    for name, (_, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name == chosen:
            _module(name).add_options(command)
    return parser


def _module(name: str) -> Command:
    module = import_module(f".commands.{COMMANDS[name][0]}", __package__)
    return cast(Command, module)


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs a command line; returns the exit status, SystemExit(2) on wrong usage."""
    words = sys.argv[1:] if argv is None else list(argv)
    chosen = next((word for word in words if word in COMMANDS), None)
    parser = _parser(chosen)
    arguments, rest = parser.parse_known_args(words)
    files = getattr(arguments, "file", None)
    if rest and (not isinstance(files, list) or any(w.startswith("-") for w in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest and isinstance(files, list):
        # argparse takes no files behind an option that stands between files.
        files += rest
    if getattr(arguments, "raw", False) != bool(getattr(arguments, "session", None)):
        parser.error("--raw and --session need each other")
    if sys.stdout is None:
        print("pfmparse: the standard output is closed", file=sys.stderr)
        return BAD_INPUT
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = _module(arguments.command).run(arguments)
        sys.stdout.flush()
        return status
    except BadInput as error:
        print(f"pfmparse: {error}", file=sys.stderr)
    except BrokenPipeError:
        # The reader is gone; keep the interpreter from flushing again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        where = error.filename or "standard output"
        print(f"pfmparse: {where}: {error.strerror}", file=sys.stderr)
    return BAD_INPUT


def _stop(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def program() -> int:
    """The same as a program: signals end it as errors do, which leave nothing half."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        return main()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(program())
