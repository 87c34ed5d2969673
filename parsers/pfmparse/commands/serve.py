# SPDX-License-Identifier: MIT OR GPL-2.0
"""The serve command: show flame graph, tables and timeline in a browser."""

from __future__ import annotations

import argparse
import threading
from contextlib import ExitStack, suppress

from ..errors import PfmParseError
from ..status_line import Progress
from ..text import message
from ..web.api import Api
from ..web.browser import opened
from ..web.server import Server
from ..web.session import Session
from .opening import options_of
from .outcome import OK, BadInput, blaming

LONGEST_JOIN = 0.5  # seconds


def run(arguments: argparse.Namespace) -> int:
    """Serves the page until SIGINT or SIGTERM; returns the exit status."""
    try:
        session = Session(
            arguments.file, options_of(arguments), arguments.weight, Progress("read")
        )
    except PfmParseError as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{error.filename}: {error.strerror}") from error
    for text in session.warnings:
        message(text)
    with session, blaming("127.0.0.1"), Server(Api(session)) as server:
        with suppress(KeyboardInterrupt, SystemExit):
            _serve(server, arguments.browser)
    return OK


def _serve(server: Server, browser: bool) -> None:
    """Serves the page until an exception, such as one caused by a signal."""
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    with ExitStack() as stack:
        stack.callback(server.shutdown)
        # Print both lines at once: a program that has read the first line may send a
        # signal, which would prevent the second one.
        print(f"{server.url}\nPress Ctrl-C to end.\n", end="", flush=True)
        if browser and not stack.enter_context(opened(server.url)):
            message("no browser found: open the URL yourself, or set BROWSER")
        # A signal that arrives just before join() blocks does not interrupt it, so
        # join() needs a timeout.
        while serving.is_alive():
            serving.join(LONGEST_JOIN)
