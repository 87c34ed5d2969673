# SPDX-License-Identifier: MIT OR GPL-2.0
"""The selection that all views of a page share."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import Iterable, Optional, Sequence, TypeVar

import numpy as np

from ..analysis.events import Events
from ..analysis.interner import Ids
from ..analysis.requests import Window, read_numbers
from ..analysis.selection import Selection
from ..errors import RequestError
from ..layout import NDArray
from ..recording import Recording
from .cells import Cells
from .query import Query

T = TypeVar("T", int, str)

PARAMETERS = ("event", "pid", "tid", "from", "to")


@dataclass(frozen=True)
class Choice:
    """Events, processes, threads and steps of time; empty or None selects all.

    ``steps`` are the first step, and the step after the last one.
    """

    events: Sequence[str] = ()
    pids: Sequence[int] = ()
    tids: Sequence[int] = ()
    steps: Optional[tuple[int, int]] = None

    def cells(self, cells: Cells) -> Ids:
        """Returns the selected cells."""
        mask = np.ones(cells.event.size, np.bool_)
        if self.events:
            mask &= _among(self.events, cells.events)[cells.event]
        if self.tids:
            tids = [thread.thread for thread in cells.threads]
            mask &= _among(self.tids, tids)[cells.thread]
        if self.pids:
            pids = [thread.process for thread in cells.threads]
            mask &= _among(self.pids, pids)[cells.thread]
        if self.steps is not None:
            mask &= (cells.step >= self.steps[0]) & (cells.step < self.steps[1])
        return np.flatnonzero(mask)

    def at_any_time(self) -> Choice:
        """Returns a copy of this choice that does not restrict the time."""
        return replace(self, steps=None)

    def on(self, recording: Recording) -> Optional[Choice]:
        """Returns this choice with the events of a capture; None if it has none."""
        names = [event.name for event in Events(recording).all]
        events = [name for name in self.events if name in names]
        if self.events and not events:
            return None
        return replace(self, events=events)

    def within(self, selection: Selection, cells: Cells) -> Selection:
        """Returns the selection that also meets the conditions of this choice."""
        return replace(
            selection,
            events=self.events or selection.events,
            pids=self.pids or selection.pids,
            tids=self.tids or selection.tids,
            time=_common(selection.time, self._window(cells)),
        )

    def options(self, cells: Cells) -> str:
        """Returns the options of pfmparse with the same effect."""
        words = [f"--event {shlex.quote(name)}" for name in self.events]
        words += [f"--pid {pid}" for pid in self.pids]
        words += [f"--tid {tid}" for tid in self.tids]
        window = self._window(cells)
        if window is not None:
            words.append(f"--time {window.start}ns-{window.end}ns")
        return " ".join(words)

    def _window(self, cells: Cells) -> Optional[Window]:
        """Returns the time of the steps, relative to the first sample."""
        if self.steps is None:
            return None
        first, last = (step * cells.clock.step for step in self.steps)
        return Window(first, last)


def choice_of(query: Query, cells: Cells) -> Choice:
    """Returns a request's selection; raises RequestError if nothing can match."""
    threads = cells.threads
    return Choice(
        _known("event", query.texts("event"), cells.events),
        _known("pid", query.read("pid", read_numbers), (t.process for t in threads)),
        _known("tid", query.read("tid", read_numbers), (t.thread for t in threads)),
        _steps(query, cells.clock.steps),
    )


def _known(name: str, wanted: Sequence[T], there: Iterable[Optional[T]]) -> Sequence[T]:
    """Returns the wanted values.

    Raises RequestError if the captures lack one of them.
    """
    missing = set(wanted) - set(there)
    if missing:
        text = f"there are no samples of {name} {min(missing)}"
        raise RequestError(f"{text}: reload the page to see what there is")
    return wanted


def _steps(query: Query, steps: int) -> Optional[tuple[int, int]]:
    if not query.text("from") and not query.text("to"):
        return None
    first = query.number("from", steps)
    last = query.number("to", steps + 1)
    if last <= first:
        raise RequestError("parameter 'to' must be greater than 'from'")
    return first, last


def _among(wanted: Sequence[T], values: Sequence[Optional[T]]) -> NDArray[np.bool_]:
    """Returns a mask of the values that are wanted."""
    return np.array([value in wanted for value in values], np.bool_)


def _common(one: Optional[Window], other: Optional[Window]) -> Optional[Window]:
    """Returns the time that is in both windows."""
    if one is None or other is None:
        return one or other
    ends = [end for end in (one.end, other.end) if end is not None]
    return Window(max(one.start, other.start), min(ends, default=None))
