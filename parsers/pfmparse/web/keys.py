# SPDX-License-Identifier: MIT OR GPL-2.0
"""The keys by which cells are grouped, and the rows of their values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Mapping, Optional

from ..analysis.interner import Ids
from ..symbols.location import UNKNOWN
from .cells import Cells
from .choice import Number


@dataclass(frozen=True)
class Row:
    """A value of a key.

    ``own`` is the sum of its samples. ``total``, which only functions have, includes
    the samples in callees. ``select`` is the request parameter that selects the value's
    samples; it is empty if no parameter does.
    ``function`` is the index of a function, None for other values.
    """

    name: str
    detail: str
    own: int
    total: Optional[int] = None
    select: Mapping[str, object] = field(default_factory=dict)
    function: Optional[int] = None


@dataclass(frozen=True)
class Key:
    """A key: the index of each cell's value, and a function that makes rows."""

    numbers: Ids
    size: int
    row: Callable[[int, int], Row]


def key_of(cells: Cells, by: str) -> Key:
    """Returns the key of this name, which is one of KEYS."""
    return KEYS[by](cells)


def _functions(cells: Cells) -> Key:
    labels = cells.tree.labels

    def row(at: int, total: int) -> Row:
        return Row(labels[at].name, labels[at].object, total, function=at)

    return Key(cells.function, len(labels), row)


def _threads(cells: Cells) -> Key:
    origin = _origins(cells)

    def row(at: int, total: int) -> Row:
        thread, capture = cells.threads[at], cells.captures[at]
        detail = f"{_number(thread.thread)}, process {_number(thread.process)}"
        detail += origin(thread.host, capture)
        select = _select(cells, "tid", thread.thread, capture)
        return Row(thread.name, detail, total, select=select)

    return Key(cells.thread, len(cells.threads), row)


def _processes(cells: Cells) -> Key:
    origin = _origins(cells)

    def row(at: int, total: int) -> Row:
        process = cells.processes[at]
        detail = _number(process.number) + origin(process.host, process.capture)
        select = _select(cells, "pid", process.number, process.capture)
        return Row(process.name, detail, total, select=select)

    return Key(cells.process_of[cells.thread], len(cells.processes), row)


def _origins(cells: Cells) -> Callable[[str, int], str]:
    """Returns a function that names the host and the capture of a row.

    It names the host only if there are several hosts, and the capture only if there are
    several captures.
    """
    hosts = {process.host for process in cells.processes}

    def origin(host: str, capture: int) -> str:
        several = (len(hosts) > 1, host), (len(cells.files) > 1, cells.files[capture])
        return "".join(f", {name}" for wanted, name in several if wanted)

    return origin


def _events(cells: Cells) -> Key:
    def row(at: int, total: int) -> Row:
        name = cells.events[at]
        return Row(name, "", total, select={"event": name})

    return Key(cells.event, len(cells.events), row)


KEYS: Mapping[str, Callable[[Cells], Key]] = {
    "function": _functions,
    "thread": _threads,
    "process": _processes,
    "event": _events,
}


def _number(number: Optional[int]) -> str:
    return UNKNOWN if number is None else str(number)


def _select(
    cells: Cells, name: str, number: Optional[int], capture: int
) -> Mapping[str, object]:
    """Returns the parameter that selects a thread or process, {} without an ID."""
    if number is None:
        return {}
    if len(cells.files) == 1:
        return {name: number}
    return {name: str(Number(number, capture))}
