# SPDX-License-Identifier: MIT OR GPL-2.0
"""What the programs around guests and suites have in common on the command line."""

from __future__ import annotations

import argparse
import signal
import sys
from types import FrameType

import verdict


class Parser(argparse.ArgumentParser):
    """A parser that ends with the harness's own code when arguments are bad."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """End the program with what is wrong."""
        self.print_usage(sys.stderr)
        self.exit(verdict.SETUP, f"{self.prog}: {message}\n")


def exit_on(*signals: signal.Signals) -> None:
    """End the program, and clean up behind it, at these signals."""
    for number in signals:
        signal.signal(number, _stop)


def _stop(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)
