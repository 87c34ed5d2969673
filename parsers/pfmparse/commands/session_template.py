# SPDX-License-Identifier: MIT OR GPL-2.0
"""The session-template command: print a session to edit, for raw buffers."""

from __future__ import annotations

import argparse
import sys
from typing import TextIO

from ..capture.session import plain_uuid
from ..capture.template import session_template
from ..errors import RequestError
from ..formats import registry
from .outcome import OK, blaming


def run(arguments: argparse.Namespace) -> int:
    """Prints a session; returns the exit status."""
    with blaming(arguments.file):
        print_text(arguments.file, sys.stdout)
    return OK


def print_text(wanted: str, out: TextIO) -> None:
    """Prints a session for a format.

    Raises PfmParseError if ``wanted`` is neither a name nor a UUID.
    """
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
        text = f"unknown format '{wanted}': use a UUID or one of {names}"
        raise RequestError(text) from None
