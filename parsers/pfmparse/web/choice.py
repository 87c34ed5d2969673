# SPDX-License-Identifier: MIT OR GPL-2.0
"""The selection that applies to all views of a page."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import Container, Iterable, NamedTuple, Optional, Sequence, TypeVar

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

T = TypeVar("T")

PARAMETERS = ("event", "pid", "tid", "from", "to")


class Number(NamedTuple):
    """The ID of a thread or process; ``capture`` is an index, None for all captures."""

    number: int
    capture: Optional[int] = None

    def __str__(self) -> str:
        """Returns the value of a parameter; captures are counted from 1."""
        before = "" if self.capture is None else f"{self.capture + 1}:"
        return f"{before}{self.number}"


@dataclass(frozen=True)
class Choice:
    """Selected events, processes, threads and steps of time; empty or None means all.

    ``steps`` are the first step, and the step after the last one.
    """

    events: Sequence[str] = ()
    pids: Sequence[Number] = ()
    tids: Sequence[Number] = ()
    steps: Optional[tuple[int, int]] = None

    def cells(self, cells: Cells) -> Ids:
        """Returns the selected cells."""
        mask = np.ones(cells.event.size, np.bool_)
        if self.events:
            wanted = [name in self.events for name in cells.events]
            mask &= np.array(wanted, np.bool_)[cells.event]
        if self.tids:
            mask &= _among(self.tids, _tids(cells))[cells.thread]
        if self.pids:
            mask &= _among(self.pids, _pids(cells))[cells.thread]
        if self.steps is not None:
            mask &= (cells.step >= self.steps[0]) & (cells.step < self.steps[1])
        return np.flatnonzero(mask)

    def at_any_time(self) -> Choice:
        """Returns a copy of this choice that does not restrict the time."""
        return replace(self, steps=None)

    def on(self, recording: Recording, capture: int) -> Optional[Choice]:
        """Returns this choice for a capture; None if nothing in the capture matches."""
        names = [event.name for event in Events(recording).all]
        events = [name for name in self.events if name in names]
        pids, tids = (
            [one for one in numbers if one.capture in (None, capture)]
            for numbers in (self.pids, self.tids)
        )
        pairs = (self.events, events), (self.pids, pids), (self.tids, tids)
        if any(wanted and not there for wanted, there in pairs):
            return None
        return replace(self, events=events, pids=pids, tids=tids)

    def within(self, selection: Selection, cells: Cells) -> Selection:
        """Returns ``selection`` with the conditions of this choice, if it has any."""
        return replace(
            selection,
            events=self.events or selection.events,
            pids=[one.number for one in self.pids] or selection.pids,
            tids=[one.number for one in self.tids] or selection.tids,
            time=_common(selection.time, self._window(cells)),
        )

    def options(self, cells: Cells) -> str:
        """Returns arguments with which pfmparse selects the same samples.

        If threads or processes of one capture are selected, the last argument is the
        capture's name. Returns "" if everything is selected, and also if threads or
        processes of different captures are, because no arguments can select these.
        """
        captures = {one.capture for one in (*self.pids, *self.tids)}
        if len(captures) > 1:
            return ""
        words = [f"--event {shlex.quote(name)}" for name in self.events]
        words += [f"--pid {pid.number}" for pid in self.pids]
        words += [f"--tid {tid.number}" for tid in self.tids]
        window = self._window(cells)
        if window is not None:
            words.append(f"--time {window.start}ns-{window.end}ns")
        words += [shlex.quote(cells.files[at]) for at in captures if at is not None]
        return " ".join(words)

    def _window(self, cells: Cells) -> Optional[Window]:
        """Returns the time of the steps, relative to the first sample; None for all."""
        if self.steps is None:
            return None
        first, last = (step * cells.clock.step for step in self.steps)
        return Window(first, last)


def choice_of(query: Query, cells: Cells) -> Choice:
    """Returns a request's selection; raises RequestError if nothing can match."""
    return Choice(
        _known("event", query.texts("event"), cells.events),
        _known("pid", query.read("pid", _numbers), _anywhere(_pids(cells))),
        _known("tid", query.read("tid", _numbers), _anywhere(_tids(cells))),
        _steps(query, cells.clock.steps),
    )


def _numbers(text: str) -> list[Number]:
    """Parses 0,2-4 or, with the number of a capture, 1:0,2-4.

    Raises ValueError if it is invalid.
    """
    capture, colon, numbers = text.rpartition(":")
    if not colon:
        return [Number(number) for number in read_numbers(numbers)]
    if not re.fullmatch("[1-9][0-9]{0,8}", capture):
        wanted = "must begin with the number of a capture, such as 1:"
        raise ValueError(f"{wanted}, not {text!r}")
    return [Number(number, int(capture) - 1) for number in read_numbers(numbers)]


def _tids(cells: Cells) -> list[Optional[Number]]:
    """Returns the ID of each thread, None if it is unknown."""
    return _of_captures((one.thread for one in cells.threads), cells)


def _pids(cells: Cells) -> list[Optional[Number]]:
    """Returns the ID of each thread's process, None if it is unknown."""
    return _of_captures((one.process for one in cells.threads), cells)


def _of_captures(
    numbers: Iterable[Optional[int]], cells: Cells
) -> list[Optional[Number]]:
    pairs = zip(numbers, cells.captures)
    return [None if one is None else Number(one, capture) for one, capture in pairs]


def _anywhere(numbers: Iterable[Optional[Number]]) -> set[Number]:
    """Returns the numbers, with and without their captures."""
    known = [one for one in numbers if one is not None]
    return {*known, *(Number(one.number) for one in known)}


def _known(name: str, wanted: Sequence[T], there: Container[T]) -> Sequence[T]:
    """Returns the wanted values.

    Raises RequestError if the captures lack one of them.
    """
    for one in wanted:
        if one not in there:
            text = f"there are no samples of {name} {one}"
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


def _among(
    wanted: Sequence[Number], numbers: Iterable[Optional[Number]]
) -> NDArray[np.bool_]:
    """Returns a mask of the threads whose number is wanted."""
    every = set(wanted)
    found = [
        one is not None and (one in every or Number(one.number) in every)
        for one in numbers
    ]
    return np.array(found, np.bool_)


def _common(one: Optional[Window], other: Optional[Window]) -> Optional[Window]:
    """Returns the time that is in both windows."""
    if one is None or other is None:
        return one or other
    ends = [end for end in (one.end, other.end) if end is not None]
    return Window(max(one.start, other.start), min(ends, default=None))
