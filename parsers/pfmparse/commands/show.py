# SPDX-License-Identifier: MIT OR GPL-2.0
"""The show command: show the view that a capture requests."""

from __future__ import annotations

import argparse
from typing import NoReturn

from ..capture.session import View
from ..errors import PfmParseError, RequestError
from . import mem, report
from .opening import recording_of
from .options import OPTIONS
from .outcome import BadInput, warn

# The options that a capture may request, by command.
ALLOWED = {"mem": ("view", "per", "sort", "top", "cum", "l2", "l3")}


class _Parser(argparse.ArgumentParser):
    """A parser for the options in a capture."""

    def error(self, message: str) -> NoReturn:
        """Raises PfmParseError instead of exiting."""
        raise RequestError(message)


def run(arguments: argparse.Namespace) -> int:
    """Shows the view; returns the exit status.

    If the capture requests no view, or an unknown one, shows a report.
    """
    file = arguments.file
    with recording_of(file, arguments, any_format=True) as recording:
        arguments.opened = recording
        view = recording.session.view
        if view is not None:
            try:
                asked = _arguments_of_view(view, arguments)
            except PfmParseError as error:
                warn(file, f"unknown view in the capture: {error.message}")
            else:
                return mem.run(asked)
        parser = argparse.ArgumentParser()
        OPTIONS["report"](parser)
        return report.run(_filled(parser, [], arguments))


def _arguments_of_view(view: View, arguments: argparse.Namespace) -> argparse.Namespace:
    """Returns the arguments of a view's command.

    Raises PfmParseError if the view is unknown.
    """
    if view.command not in ALLOWED:
        raise RequestError(f"there is no view {view.command!r}")
    for name in view.options:
        if name not in ALLOWED[view.command]:
            raise RequestError(f"{view.command} has no option {name!r}")
    parser = _Parser(allow_abbrev=False)
    OPTIONS["mem"](parser)
    words = [f"--{name}={value}" for name, value in view.options.items()]
    filled = _filled(parser, words, arguments)
    try:
        mem.options_of(filled)
    except BadInput as error:
        raise RequestError(str(error)) from None
    return filled


def _filled(
    parser: argparse.ArgumentParser, words: list[str], arguments: argparse.Namespace
) -> argparse.Namespace:
    """Parses ``words`` as a command's arguments; the user's arguments override them."""
    filled = parser.parse_args([*words, "--", arguments.file])
    given = {**vars(arguments), "file": filled.file}
    for name, value in given.items():
        setattr(filled, name, value)
    return filled
