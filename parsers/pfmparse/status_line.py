# SPDX-License-Identifier: MIT OR GPL-2.0
"""A line on a terminal that says what is going on."""

from __future__ import annotations

import sys
import time
from typing import TextIO

FIRST, NEXT = 2.0, 0.5  # s until the first line, and between two


class StatusLine:
    """A line that is shown when something has taken a while; files get none."""

    def __init__(self, out: TextIO = sys.stderr) -> None:
        self._out = out
        self._length = 0
        self.restart()

    def restart(self) -> None:
        """Something else begins."""
        self._due = time.monotonic() + FIRST

    def show(self, text: str) -> None:
        """Shows a text, if that is due."""
        now = time.monotonic()
        if now >= self._due and self._out.isatty():
            self._due = now + NEXT
            self._write("\r" + text.ljust(self._length))
            self._length = len(text)

    def remove(self) -> None:
        """Removes the line if there is one."""
        if self._length:
            self._write("\r" + " " * self._length + "\r")
            self._length = 0

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
