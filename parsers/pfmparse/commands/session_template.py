# SPDX-License-Identifier: MIT OR GPL-2.0
"""The session-template command: a session to be edited, for raw buffers."""

from __future__ import annotations

import argparse
import sys
from typing import TextIO

from ..capture.session import plain_uuid
from ..capture.template import session_template
from ..errors import PfmParseError
from ..formats import registry
from .opening import OK, blaming


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "file",
        metavar="FORMAT",
        nargs="?",
        default="default",
        help="name of a format that is known, or a UUID; default: default",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints a session; the exit status."""
    with blaming(arguments.file):
        print_text(arguments.file, sys.stdout)
    return OK


def print_text(wanted: str, out: TextIO) -> None:
    """The session for a format by name, or of that UUID; PfmParseError if neither."""
    out.write(_template(wanted.lower()).decode())


def _template(wanted: str) -> bytes:
    for parser in registry.known().values():
        form = parser.format
        if wanted in (form.uuid, form.name.lower()):
            return session_template(form.uuid, form.name)
    try:
        return session_template(plain_uuid(wanted))
    except ValueError:
        names = ", ".join(parser.format.name for parser in registry.known().values())
        text = f"{wanted} is neither a UUID nor one of {names}"
        raise PfmParseError(text, 0) from None
