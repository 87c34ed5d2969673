# SPDX-License-Identifier: MIT OR GPL-2.0
"""The data of the page with a flame graph: boxes and functions by event and thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, NamedTuple, Sequence

import numpy as np

from ..analysis.profile import Profile, Thread
from ..layout import NDArray
from ..text import amount, printable
from .flame_layout import LEAST, colours_of
from .flame_sides import COLOURS, LIMITS, Sides
from .flame_tree import PLAIN, Ids, Tree, Weights, tree_of
from .interface import NEW, OLD
from .titles import events_of

THREADS = 100  # in the menu; all further threads are one entry
FUNCTIONS = 1000  # in the table; all further functions are one row

# A flat list of pairs: index of a series, its sum, index of another, its sum, ...
Values = list[int]


class Sparse(NamedTuple):
    """A sparse column of a series: the indices and values of its non-zero elements."""

    at: Ids
    values: Weights


@dataclass(frozen=True)
class Function:
    """A function's label, its own weight, and its inclusive weight."""

    label: int
    self: Values
    total: Values


class PageData:
    """Profiles as the page shows them. A series is one event in one thread of a side.

    ``totals`` is the weight of each side.
    """

    def __init__(self, sides: Sides) -> None:
        profile = sides.profile
        self.names = sides.names
        self.tree: Tree = tree_of(profile)
        self.events = events_of(profile)
        self.threads, threads = _threads(profile)
        self.threads_left_out = len(self.threads) > THREADS
        events = _dense([row.event for row in profile.rows])
        keys = np.stack([sides.of_rows, events, threads], 1)
        self.series, of_series = np.unique(keys, axis=0, return_inverse=True)
        weights = sides.weights
        rows = _by_series(of_series, len(self.series))
        self._rows = [Sparse(of, weights[of]) for of in rows]
        self._totals = [
            _sparse(self.tree.totals(part.values, part.at)) for part in self._rows
        ]
        self.totals = [0] * len(self.names)
        for side, row in zip(sides.of_rows.tolist(), profile.rows):
            self.totals[side] += row.weight
        self.shown = self._shown()
        self.left_out = int(self.shown.size - self.shown.sum())
        self.functions, self.others, self.other_functions = self._functions()

    def as_json(self, unit: str, units: Sequence[str]) -> dict[str, object]:
        """Returns the JSON object that the page's script reads.

        ``units`` are the units of the events; ``unit`` is the unit of their sum.
        """
        tree = self.tree
        boxes = np.flatnonzero(self.shown)
        numbers = np.cumsum(self.shown) - 1
        parents = np.where(tree.parents < 0, -1, numbers[tree.parents])[boxes]
        used = [f.label for f in self.functions] + tree.label_of[boxes].tolist()
        labels = {label: at for at, label in enumerate(dict.fromkeys(used))}
        objects = colours_of(self._objects(labels))
        places = {where: at for at, where in enumerate(objects)}
        return {
            "unit": unit,
            "units": units,
            "events": [*map(printable, self.events)],
            "threads": [*map(printable, self.threads)],
            "sides": self.names,
            "limits": LIMITS,
            "colours": COLOURS,
            "series": self.series.tolist(),
            "labels": [
                [printable(named.name), places[named.object], int(named.inlined)]
                for named in map(tree.labels.__getitem__, labels)
            ],
            "objects": [
                [printable(where), colour] for where, colour in objects.items()
            ],
            "boxes": {
                "parents": parents.tolist(),
                "labels": [labels[at] for at in tree.label_of[boxes].tolist()],
                "totals": _values_of(boxes, self._totals, numbers.size),
            },
            "functions": [[labels[f.label], f.self, f.total] for f in self.functions],
            "others": {"count": self.other_functions, "self": self.others},
        }

    def sums(self, values: Values) -> list[int]:
        """Returns the sum of values by side."""
        sums = [0] * len(self.names)
        for series, value in zip(values[::2], values[1::2]):
            sums[self.series[series, 0]] += value
        return sums

    def _shown(self) -> NDArray[np.bool_]:
        """Returns a mask of the boxes that are drawn for at least one event of a side.

        All other boxes are too narrow even if all events are shown together.
        """
        shown = np.zeros(self.tree.parents.size, np.bool_)
        shown[0] = True
        sides, events = self.series[:, 0], self.series[:, 1]
        for side, event in set(zip(sides.tolist(), events.tolist())):
            which = (sides == side) & (events == event)
            parts = [self._totals[series] for series in np.flatnonzero(which)]
            totals = _sum(parts, shown.size)
            shown |= (totals >= LEAST * totals[0]) & (totals > 0)
        return shown

    def _functions(self) -> tuple[list[Function], Values, int]:
        """Returns the first functions, and the own weight and the number of the others.

        Functions are sorted by descending own weight or, in a comparison, by the size
        of the difference between the own shares, largest first.
        """
        tree = self.tree
        # As in reports, an inlined function counts for the function that contains it.
        named = np.array(
            [named.object != PLAIN and not named.inlined for named in tree.labels]
        )
        lowest, tops = tree.lowest_of_label(), tree.outermost(tree.tops)
        own = [self._by_label(tops[part.at], part.values) for part in self._rows]
        whole = [
            self._by_label(part.at, part.values * lowest[part.at])
            for part in self._totals
        ]
        size = len(tree.labels)
        found = np.flatnonzero(named & (_sum(whole, size) > 0))
        owns, wholes = self._ranks(own, size), self._ranks(whole, size)
        keys = [(-owns[at], -wholes[at], tree.labels[at]) for at in found]
        order = [
            int(found[at]) for at in sorted(range(len(keys)), key=keys.__getitem__)
        ]
        first, rest = np.array(order[:FUNCTIONS], np.intp), order[FUNCTIONS:]
        sums = (_values_of(first, parts, size) for parts in (own, whole))
        functions = [Function(*one) for one in zip(first.tolist(), *sums)]
        is_other = np.zeros(size, np.bool_)
        is_other[rest] = True
        others = [part.values[is_other[part.at]].sum() for part in own]
        return functions, _values(np.array(others)), len(rest)

    def _ranks(self, parts: Sequence[Sparse], size: int) -> Weights:
        """Returns each label's weight; for two sides, how far its shares are apart."""
        if len(self.names) == 1:
            return _sum(parts, size)
        sides = self.series[:, 0]
        old, new = (
            _sum([parts[at] for at in np.flatnonzero(sides == side)], size)
            / float(self.totals[side] or 1)
            for side in (OLD, NEW)
        )
        # Round as the page rounds differences, so that rounding errors do not affect
        # the order.
        ranks: Weights = np.abs(new - old).round(4)
        return ranks

    def _by_label(self, boxes: Ids, values: Weights) -> Sparse:
        labels = self.tree.label_of[boxes]
        sums = np.bincount(labels, values, len(self.tree.labels))
        return _sparse(sums.astype(np.float64))

    def _objects(self, labels: dict[int, int]) -> list[str]:
        """Returns the objects of the labels, in the order of the labels."""
        return [self.tree.labels[label].object for label in labels]


def _threads(profile: Profile) -> tuple[list[str], Ids]:
    """Returns the names of the threads in the menu, and each row's thread index."""
    several = len({profile.threads[row.thread].host for row in profile.rows}) > 1
    names = [_thread(thread, several) for thread in profile.threads]
    sums: dict[str, int] = {}
    for row in profile.rows:
        name = names[row.thread]
        sums[name] = sums.get(name, 0) + row.weight
    order = sorted(sums, key=lambda name: (-sums[name], name))
    shown = order[:THREADS]
    if len(order) > THREADS:
        shown.append(amount(len(order) - THREADS, "other threads"))
    ranks = {name: min(rank, THREADS) for rank, name in enumerate(order)}
    return shown, np.array([ranks[names[row.thread]] for row in profile.rows], np.intp)


def _thread(thread: Thread, with_host: bool) -> str:
    text = thread.name
    if thread.thread is not None:
        text += f" {thread.thread}"
    if thread.process not in (None, thread.thread):
        text += f", process {thread.process}"
    return f"{text}, {thread.host}" if with_host else text


def _dense(numbers: Sequence[int]) -> Ids:
    """Returns the rank of each number: 0 for the least, 1 for the next, and so on."""
    found: Ids = np.unique(np.array(numbers, np.intp), return_inverse=True)[1]
    return found


def _by_series(of_rows: Ids, count: int) -> list[Ids]:
    """Returns the rows of each series."""
    order = np.argsort(of_rows, kind="stable")
    bounds = np.searchsorted(of_rows[order], np.arange(count + 1)).tolist()
    return [order[first:end] for first, end in zip(bounds, bounds[1:])]


def _sparse(column: Weights) -> Sparse:
    at = np.flatnonzero(column)
    return Sparse(at, column[at])


def _sum(parts: Iterable[Sparse], size: int) -> Weights:
    """Returns the sum of sparse columns as a dense column."""
    total: Weights = np.zeros(size)
    for part in parts:
        total[part.at] += part.values
    return total


def _values_of(wanted: Ids, parts: Iterable[Sparse], size: int) -> list[Values]:
    """Returns the values of the wanted elements.

    ``parts`` has a column for each series, with ``size`` elements.
    """
    found: list[Values] = [[] for _ in range(wanted.size)]
    places = np.full(size, -1)
    places[wanted] = np.arange(wanted.size)
    for series, part in enumerate(parts):
        of = places[part.at]
        among = np.flatnonzero(of >= 0)
        for at, value in zip(of[among].tolist(), part.values[among].tolist()):
            found[at] += (series, int(value))
    return found


def _values(sums: Weights) -> Values:
    return [n for at in np.flatnonzero(sums).tolist() for n in (at, int(sums[at]))]
