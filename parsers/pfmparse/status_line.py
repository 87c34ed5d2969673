# SPDX-License-Identifier: MIT OR GPL-2.0
"""A status line on a terminal, and the progress of a long command."""

from __future__ import annotations

import sys
import time
from typing import Optional, TextIO

from .text import amount, printable

FIRST, NEXT = 2.0, 0.5  # seconds until the line is shown, and between updates


class StatusLine:
    """A line that is shown during long work if the output is a terminal."""

    def __init__(self, out: Optional[TextIO] = None) -> None:
        self._out = out or sys.stderr
        self._length = 0
        self.restart()

    def restart(self) -> None:
        """Restarts the delay until the first line."""
        self._due = time.monotonic() + FIRST

    def show(self, text: str) -> None:
        """Shows a text if enough time has passed."""
        now = time.monotonic()
        if now >= self._due and self._out.isatty():
            self._due = now + NEXT
            shown = printable(text)
            self._write("\r" + shown.ljust(self._length))
            self._length = len(shown)

    def remove(self) -> None:
        """Removes the line if it is shown."""
        if self._length:
            self._write("\r" + " " * self._length + "\r")
            self._length = 0

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


class Progress:
    """A line on a terminal with a count of samples, shown if reading takes long."""

    def __init__(self, verb: str, out: Optional[TextIO] = None) -> None:
        self._verb = verb
        self._line = StatusLine(out)
        self._samples = 0

    def add(self, samples: int) -> None:
        """Adds to the number of samples that were read."""
        self._samples += samples
        self._line.show(f"{amount(self._samples, 'samples', ',')} {self._verb}")

    def remove(self) -> None:
        """Removes the line until add() is called again."""
        self._line.remove()
