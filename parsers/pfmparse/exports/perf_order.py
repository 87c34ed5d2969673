# SPDX-License-Identifier: MIT OR GPL-2.0
"""When perf can put the samples of perf.data in the order of their times."""

from __future__ import annotations

from typing import Optional

from .perf_records import finished_round


class Order:
    """Says where rounds end, so that perf need not keep all samples until the end.

    At the end of a round perf handles the samples up to the latest time that there was
    when the round before ended. So one may end when no earlier sample can follow: each
    context records its samples in the order of their times, about, and so is past the
    time of its last one. What follows earlier nevertheless perf only warns of.
    """

    def __init__(self, contexts: Optional[int]) -> None:
        """``contexts`` is how many there are; None if times will begin anew."""
        self._contexts = contexts
        self._last: dict[int, int] = {}
        self._before = 0  # the latest time when the last round ended

    def after(self, context: int, last: int) -> bytes:
        """What follows samples of a context, the latest of which is of that time."""
        self._last[context] = max(last, self._last.get(context, 0))
        if self._contexts is None or len(self._last) < self._contexts:
            return b""
        if min(self._last.values()) < self._before:
            return b""
        self._before = max(self._last.values())
        return finished_round()

    def flush(self) -> bytes:
        """Makes perf handle all samples so far: what follows is not for them."""
        return 2 * finished_round() if self._last else b""
