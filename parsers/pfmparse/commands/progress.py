# SPDX-License-Identifier: MIT OR GPL-2.0
"""Shows the progress of a long command."""

from __future__ import annotations

from typing import Optional, TextIO

from ..status_line import StatusLine


class Progress:
    """A line on a terminal that counts samples, shown if reading takes a while."""

    def __init__(self, verb: str, out: Optional[TextIO] = None) -> None:
        self._verb = verb
        self._line = StatusLine(out)
        self._samples = 0

    def add(self, samples: int) -> None:
        """Adds to the number of samples that are done."""
        self._samples += samples
        self._line.show(f"{self._samples:,} samples {self._verb}")

    def remove(self) -> None:
        """Removes the line until add() is called again."""
        self._line.remove()
