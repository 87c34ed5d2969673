# SPDX-License-Identifier: MIT OR GPL-2.0
"""Readings of several clocks at the same time: the CLCK chunks (docs/capture.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np

from ..errors import PfmParseError, RequestError
from ..layout import NDArray
from .json_node import Node

MAX_MOMENTS = 1 << 12
MAX_NS = (1 << 62) - 1  # keeps differences of times within 64 bits


@dataclass(frozen=True)
class Moment:
    """The values of all clocks at one time, in ns except for ``tsc``.

    ``perf_ns`` is the time of the samples' clock. ``uncertainty_ns`` is how long the
    reading took. ``tsc`` is the CPU's time stamp counter, None if it could not be read.
    """

    perf_ns: int
    realtime_ns: int
    monotonic_ns: int
    boottime_ns: int
    uncertainty_ns: int
    tsc: Optional[int]


class Clocks:
    """The relation of the samples' clock to other clocks."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def __len__(self) -> int:
        return len(self.moments)

    def add(self, moment: Moment, offset: int) -> None:
        """Adds the reading of the next CLCK chunk, whose payload is at ``offset``."""
        if len(self.moments) == MAX_MOMENTS:
            raise PfmParseError(f"more than {MAX_MOMENTS} CLCK chunks", offset)
        self.moments.append(moment)
        self.moments.sort(key=lambda moment: moment.perf_ns)

    def perf_to_realtime(self, times: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Converts times of samples to ns since 1970; shape (n,).

        Raises RequestError if the capture has no clock readings. Between two readings,
        the difference of the clocks is interpolated. Before the first reading and after
        the last one, it is constant.
        """
        return self._perf_to(times, [moment.realtime_ns for moment in self.moments])

    def perf_to_monotonic(self, times: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Converts times of samples to CLOCK_MONOTONIC, like perf_to_realtime()."""
        return self._perf_to(times, [moment.monotonic_ns for moment in self.moments])

    def _perf_to(
        self, times: NDArray[np.uint64], readings: list[int]
    ) -> NDArray[np.uint64]:
        """Converts times of samples to the clock with these readings."""
        if not self.moments:
            raise RequestError("the capture has no clock readings (CLCK chunks)")
        base = self.moments[0].perf_ns
        perf = [moment.perf_ns - base for moment in self.moments]
        shift = readings[0] - base
        drift = [
            reading - moment.perf_ns - shift
            for reading, moment in zip(readings, self.moments)
        ]
        since = (times - np.uint64(base)).view(np.int64)
        drifted = np.interp(since, np.array(perf, float), np.array(drift, float))
        # Only the drift is a float, because a float would round times of 62 bits.
        whole = np.rint(np.clip(drifted, -MAX_NS, MAX_NS)).astype(np.int64)
        change = (whole + np.int64(shift)).view(np.uint64)
        shown: NDArray[np.uint64] = times + change
        return shown


def parse_moment(text: bytes, offset: int) -> Moment:
    """Parses the CLCK document that starts at byte ``offset`` of the file."""
    node = Node.parse(text, "CLCK", offset)
    return Moment(
        perf_ns=_ns(node["perf_ns"]),
        realtime_ns=_ns(node["realtime_ns"]),
        monotonic_ns=_ns(node["monotonic_ns"]),
        boottime_ns=_ns(node["boottime_ns"]),
        uncertainty_ns=_ns(node["uncertainty_ns"]),
        tsc=node["tsc"].unless_null(Node.u64),
    )


def _ns(node: Node) -> int:
    return node.integer(0, MAX_NS)
