# SPDX-License-Identifier: MIT OR GPL-2.0
"""Marks the rounds in perf.data after which perf can sort samples by time."""

from __future__ import annotations

from typing import Optional

from .perf_records import finished_round


class Order:
    """Decides where rounds end, so that perf need not keep all samples until the end.

    At the end of a round, perf processes the samples up to the latest time stamp that
    it had read at the end of the previous round. So a round may end when no earlier
    sample can follow. Each context records its samples approximately in chronological
    order, so only samples later than its last one follow. If an earlier sample follows
    nevertheless, perf only warns.
    """

    def __init__(self, contexts: Optional[int]) -> None:
        """``contexts`` is the number of contexts, None if further inputs follow."""
        self._contexts = contexts
        self._last: dict[int, int] = {}
        self._before = 0  # the latest time at the end of the last round

    def after(self, context: int, last: int) -> bytes:
        """The end of a round, if it may follow samples of a context up to ``last``."""
        self._last[context] = max(last, self._last.get(context, 0))
        if self._contexts is None or len(self._last) < self._contexts:
            return b""
        if min(self._last.values()) < self._before:
            return b""
        self._before = max(self._last.values())
        return finished_round()

    def flush(self) -> bytes:
        """Ends of rounds that make perf process all samples so far."""
        return 2 * finished_round() if self._last else b""
