# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parts of the time of a recording."""

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
    """From ``start`` to before ``end``, in ns; None is without an end."""

    start: int
    end: Optional[int]

    def after(self, origin: int) -> Window:
        """The same, counted from a later origin."""
        end = None if self.end is None else self.end + origin
        return Window(self.start + origin, end)

    def has(self, times: Column) -> NDArray[np.bool_]:
        """Which of those times are in it."""
        # A time that does not fit into 64 bits is later than all samples.
        if self.start >> 64:
            return np.zeros(times.size, np.bool_)
        inside: NDArray[np.bool_] = times >= np.uint64(self.start)
        if self.end is not None and not self.end >> 64:
            inside &= times < np.uint64(self.end)
        return inside


def parse_span(text: str) -> int:
    """A time with its unit, "10ms", in ns; without one it is in s. ValueError."""
    match = SPAN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no time such as 1.5s, 20ms, 30us or 40ns")
    from decimal import Decimal  # takes long, and is rarely needed

    return int(Decimal(match[1]) * UNITS[match[2]])


def parse_window(text: str) -> Window:
    """A window, "2s-5s", "2s-" or "-5s"; ValueError if it is none."""
    first, dash, last = text.partition("-")
    if not dash:
        raise ValueError(f"{text!r} is no part of the time such as 2s-5s, 2s- or -5s")
    window = Window(parse_span(first or "0"), parse_span(last) if last else None)
    if window.end is not None and window.end <= window.start:
        raise ValueError(f"{text!r} ends before it begins")
    return window


def first_time(recording: Recording) -> int:
    """When the first sample was recorded, in ns of the samples' clock; 0 if none was.

    Reads the whole recording: buffers are not in the order of time.
    """
    first: Optional[int] = None
    for batch in recording.reopened().batches():
        if batch.samples.count:
            least = int(batch.samples.role(Role.TIME).min())
            first = least if first is None else min(first, least)
    return first or 0
