# SPDX-License-Identifier: MIT OR GPL-2.0
"""The top command: show a live view of a capture that is being written."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from functools import partial
from typing import Callable, Optional

from . import top_screen
from .opening import options_of
from .outcome import BAD_INPUT, OK, blaming, warn
from .top_lines import heading, rows, table
from .watching import PIECE, Watch

WIDTH = 100  # characters in a line if the output is not a terminal


def run(arguments: argparse.Namespace) -> int:
    """Shows the capture until it ends; returns the exit status."""
    screen = not arguments.batch and top_screen.can_show()
    tell: Callable[[str], None] = partial(warn, arguments.file)
    with blaming(arguments.file):
        fd = os.open(arguments.file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        tell = _say_nothing if screen else tell
        watch = Watch(fd, options_of(arguments), tell, arguments.window)
        with blaming(arguments.file):
            if screen and watch.read_session():
                top_screen.show(watch, arguments.iterations)
            elif not screen:
                _print_all(watch, arguments)
    except KeyboardInterrupt:
        pass  # the usual way to end the command
    finally:
        os.close(fd)
    return _status_of(watch, arguments.file)


def _say_nothing(_: str) -> None:
    """Drops warnings about symbols, because the screen has no room for them."""


def _print_all(watch: Watch, arguments: argparse.Namespace) -> None:
    """Prints each step until the capture ends or --iterations is reached."""
    left: Optional[int] = arguments.iterations
    while True:
        data = os.read(watch.fd, PIECE)
        for _ in watch.steps(data):
            _print(watch, arguments)
            if left is not None:
                left -= 1
            if left == 0:
                return
        if not data:
            break
    if watch.end():
        _print(watch, arguments)


def _print(watch: Watch, arguments: argparse.Namespace) -> None:
    """Prints the heading and the rows once."""
    width = os.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
    found = rows(watch.counts, arguments.sort)
    lines = heading(replace(watch.status, order=arguments.sort))
    total = watch.counts.total()
    lines += table(found, total, width, arguments.rows, watch.status.unit)
    print("\n".join(lines), end="\n\n", flush=True)


def _status_of(watch: Watch, file: str) -> int:
    """Prints the problems; returns the exit status."""
    for problem in watch.capture.problems:
        warn(file, problem)
    if not watch.capture.begun and watch.capture.came:
        warn(file, "the capture ends before its session")
    return OK if watch.capture.begun else BAD_INPUT
