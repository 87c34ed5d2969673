# SPDX-License-Identifier: MIT OR GPL-2.0
"""Time spans, and windows of a recording's time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

import numpy as np

from ..arrays import NDArray
from ..formats.roles import Role
from ..formats.samples import Column
from ..recording import Recording

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "": 10**9}
SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ns|us|ms|s|)")


@dataclass(frozen=True)
class Window:
    """The time from ``start`` up to but excluding ``end``, in ns; None means no end."""

    start: int
    end: Optional[int]

    def after(self, origin: int) -> Window:
        """The window shifted by ``origin``."""
        end = None if self.end is None else self.end + origin
        return Window(self.start + origin, end)

    def has(self, times: Column) -> NDArray[np.bool_]:
        """A mask of the times that are in the window."""
        # A time that does not fit into 64 bits is later than all samples.
        if self.start >> 64:
            return np.zeros(times.size, np.bool_)
        inside: NDArray[np.bool_] = times >= np.uint64(self.start)
        if self.end is not None and not self.end >> 64:
            inside &= times < np.uint64(self.end)
        return inside


def parse_span(text: str) -> int:
    """Returns the ns of a time such as "10ms", by default in s; raises ValueError."""
    match = SPAN.fullmatch(text)
    if match is None:
        raise ValueError(
            f"must be a time such as 1.5s, 20ms, 30us or 40ns, not {text!r}"
        )
    from decimal import Decimal  # slow to import, and rarely needed

    return int(Decimal(match[1]) * UNITS[match[2]])


def parse_window(text: str) -> Window:
    """Parses a window "2s-5s", "2s-" or "-5s". Raises ValueError if it is invalid."""
    first, dash, last = text.partition("-")
    if not dash:
        raise ValueError(
            f"must be a time range such as 2s-5s, 2s- or -5s, not {text!r}"
        )
    window = Window(parse_span(first or "0"), parse_span(last) if last else None)
    if window.end is not None and window.end <= window.start:
        raise ValueError(f"{text!r} ends before it begins")
    return window


def first_time(recording: Recording) -> int:
    """The time of the first sample in ns on the samples' clock; 0 if there is none.

    Reads the whole recording, because buffers are not in chronological order.
    """
    first: Optional[int] = None
    for batch in recording.reopened().batches():
        if batch.samples.count:
            least = int(batch.samples.role(Role.TIME).min())
            first = least if first is None else min(first, least)
    return first or 0
