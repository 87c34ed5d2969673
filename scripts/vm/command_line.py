# SPDX-License-Identifier: MIT OR GPL-2.0
"""Command-line handling shared by the programs that run guests and suites."""

from __future__ import annotations

import argparse
import signal
import sys
from types import FrameType

import verdict


class Parser(argparse.ArgumentParser):
    """A parser that exits with verdict.SETUP if arguments are invalid."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Print the message and exit."""
        self.print_usage(sys.stderr)
        self.exit(verdict.SETUP, f"{self.prog}: {message}\n")


def exit_on(*signals: signal.Signals) -> None:
    """Make these signals raise SystemExit, so that the program cleans up."""
    for number in signals:
        signal.signal(number, _stop)


def _stop(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)
