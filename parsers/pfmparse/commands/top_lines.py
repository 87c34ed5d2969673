# SPDX-License-Identifier: MIT OR GPL-2.0
"""Format the lines that the top command shows."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import Optional, Sequence

from ..analysis.events import Event
from ..analysis.recent import Place
from ..analysis.weights import COUNT
from ..text import amount, printable

NS = 10**9
COMM = 16  # characters of a thread's name
OBJECT = 24
WEIGHT = 9  # minimum width
FUNCTION = 20  # minimum width
SAMPLES = "samples"
KEYS = "q quit  p pause  s sort  r reset  w write"

Row = tuple[Place, int]


@dataclass(frozen=True)
class Status:
    """The status above the rows: totals, and figures for the last step.

    A step is the interval between two updates of the display. ``step_ns`` is the
    duration of the last step; ``span_ns`` is the time that the rows cover. If
    ``cgroups`` is not empty, only samples of these control groups are shown.
    """

    events: Sequence[Event]
    elapsed_ns: int = 0
    samples: int = 0
    lost: int = 0
    step_ns: int = 0
    step_samples: int = 0
    step_lost: int = 0
    span_ns: int = 0
    skipped: int = 0
    order: str = SAMPLES
    paused: bool = False
    cgroups: Sequence[str] = ()
    weight: str = COUNT

    @property
    def unit(self) -> str:
        """The title of the rows' weights."""
        return SAMPLES if self.weight == COUNT else self.weight

    def per_second(self, number: int) -> float:
        """Converts a number of events in the last step to a rate per second."""
        return number * NS / self.step_ns if self.step_ns else 0.0


def heading(status: Status) -> list[str]:
    """Returns the lines above the rows; the second line has the losses."""
    events = ", ".join(f"{e.name} (period {e.period})" for e in status.events)
    events = events or "waiting for the session"
    state = f", of {', '.join(status.cgroups)}" if status.cgroups else ""
    state += ", paused" if status.paused else ""
    skipped = f"; {status.skipped} skipped" if status.skipped else ""
    order = status.unit if status.order == SAMPLES else status.order
    return [
        printable(
            f"{status.elapsed_ns // NS} s, {events}, "
            f"rows: last {status.span_ns / NS:.0f} s by {order}{state}"
        ),
        f"{amount(status.samples, 'samples')}, "
        f"{status.per_second(status.step_samples):.0f}/s; "
        f"{status.lost} lost, {status.per_second(status.step_lost):.0f}/s{skipped}",
    ]


def rows(counts: Counter[Place], order: str) -> list[Row]:
    """Returns the functions as rows, by descending weight or by ascending name."""

    def key(row: Row) -> tuple[object, ...]:
        place, weight = row
        names = place.function, place.object, place.comm
        first = () if order == SAMPLES else (getattr(place, order),)
        return *first, -weight, *names

    return sorted(counts.items(), key=key)


def table(
    found: Sequence[Row],
    total: int,
    width: int,
    limit: Optional[int],
    unit: str = SAMPLES,
) -> list[str]:
    """Returns the rows as lines, below a line of titles."""
    weight = max(WEIGHT, len(unit), len(str(total)))
    function = max(FUNCTION, width - COMM - OBJECT - 8 - weight - 1 - 2)
    titles = (
        f"{'%':>7} {unit:>{weight}} {'function':{function}} {'object':{OBJECT}} comm"
    )
    lines = [titles]
    for place, count in found[:limit]:
        percent = 100 * count / total if total else 0.0
        name = _cut(place.function, function)
        where = _cut(os.path.basename(place.object) or place.object, OBJECT)
        lines.append(
            f"{percent:7.2f} {count:{weight}} {name:{function}} {where:{OBJECT}} "
            f"{printable(place.comm)}"
        )
    return [line.rstrip() for line in lines]


def _cut(text: str, width: int) -> str:
    text = printable(text)
    return text if len(text) <= width else text[: width - 1] + "~"
