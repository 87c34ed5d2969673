# SPDX-License-Identifier: MIT OR GPL-2.0
"""The data of the page with a flame graph: boxes and functions by event and thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, NamedTuple, Sequence

import numpy as np

from ..analysis.profile import Profile, Thread
from ..arrays import NDArray
from .flame_layout import LEAST, colours_of
from .flame_tree import PLAIN, Ids, Tree, Weights, tree_of
from .titles import events_of

THREADS = 100  # in the menu; all others are one entry
FUNCTIONS = 1000  # in the table; all others are one row

# Flat pairs: number of a series, its sum, the next number, and so on.
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
    """A profile as the page shows it; a series is one event in one thread."""

    def __init__(self, profile: Profile) -> None:
        self.tree: Tree = tree_of(profile)
        self.events = events_of(profile)
        self.threads, threads = _threads(profile)
        self.threads_left_out = len(self.threads) > THREADS
        events = _dense([row.event for row in profile.rows])
        pairs = np.stack([events, threads], 1)
        self.series, of_series = np.unique(pairs, axis=0, return_inverse=True)
        weights = np.array([row.weight for row in profile.rows], np.float64)
        rows = _by_series(of_series, len(self.series))
        self._rows = [Sparse(of, weights[of]) for of in rows]
        self._totals = [
            _sparse(self.tree.totals(part.values, part.at)) for part in self._rows
        ]
        self.total = int(weights.sum())
        self.shown = self._shown()
        self.left_out = int(self.shown.size - self.shown.sum())
        self.functions, self.others, self.other_functions = self._functions()

    def as_json(self, unit: str, units: Sequence[str]) -> dict[str, object]:
        """The JSON object that the page's script reads.

        ``units`` are those of the events, ``unit`` is that of all together.
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
            "events": self.events,
            "threads": self.threads,
            "series": self.series.tolist(),
            "labels": [
                [named.name, places[named.object], int(named.inlined)]
                for named in map(tree.labels.__getitem__, labels)
            ],
            "objects": [[where, colour] for where, colour in objects.items()],
            "boxes": {
                "parents": parents.tolist(),
                "labels": [labels[at] for at in tree.label_of[boxes].tolist()],
                "totals": _values_of(boxes, self._totals, numbers.size),
            },
            "functions": [[labels[f.label], f.self, f.total] for f in self.functions],
            "others": {"count": self.other_functions, "self": self.others},
        }

    def _shown(self) -> NDArray[np.bool_]:
        """A mask of the boxes wide enough for one event at least or all together."""
        shown = np.zeros(self.tree.parents.size, np.bool_)
        shown[0] = True
        events = self.series[:, 0]
        for which in [np.full(events.size, True), *(events == e for e in set(events))]:
            parts = [self._totals[series] for series in np.flatnonzero(which)]
            totals = _sum(parts, shown.size)
            shown |= (totals >= LEAST * totals[0]) & (totals > 0)
        return shown

    def _functions(self) -> tuple[list[Function], Values, int]:
        """The functions by descending own weight; own weight and number of the rest."""
        tree = self.tree
        # As in reports, inlined functions count for the function around them.
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
        owns, wholes = _sum(own, size), _sum(whole, size)
        found = np.flatnonzero(named & (wholes > 0))
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

    def _by_label(self, boxes: Ids, values: Weights) -> Sparse:
        labels = self.tree.label_of[boxes]
        sums = np.bincount(labels, values, len(self.tree.labels))
        return _sparse(sums.astype(np.float64))

    def _objects(self, labels: dict[int, int]) -> list[str]:
        """The objects of the labels, in the order of the labels."""
        return [self.tree.labels[label].object for label in labels]


def _threads(profile: Profile) -> tuple[list[str], Ids]:
    """The names of the threads in the menu, and the index of each row's thread."""
    of_rows = [row.thread for row in profile.rows]
    sums: dict[int, int] = {}
    for row in profile.rows:
        sums[row.thread] = sums.get(row.thread, 0) + row.weight
    order = sorted(sums, key=lambda at: (-sums[at], _thread(profile.threads[at], True)))
    several = len({profile.threads[at].host for at in order}) > 1
    names = [_thread(profile.threads[at], several) for at in order[:THREADS]]
    if len(order) > THREADS:
        names.append(f"{len(order) - THREADS} other threads")
    ranks = {at: min(rank, THREADS) for rank, at in enumerate(order)}
    return names, np.array([ranks[at] for at in of_rows], np.intp)


def _thread(thread: Thread, with_host: bool) -> str:
    text = thread.name
    if thread.thread is not None:
        text += f" {thread.thread}"
    if thread.process not in (None, thread.thread):
        text += f", process {thread.process}"
    return f"{text}, {thread.host}" if with_host else text


def _dense(numbers: Sequence[int]) -> Ids:
    """The rank of each number: 0 for the least, 1 for the next, and so on."""
    found: Ids = np.unique(np.array(numbers, np.intp), return_inverse=True)[1]
    return found


def _by_series(of_rows: Ids, count: int) -> list[Ids]:
    """The rows of each series."""
    order = np.argsort(of_rows, kind="stable")
    bounds = np.searchsorted(of_rows[order], np.arange(count + 1)).tolist()
    return [order[first:end] for first, end in zip(bounds, bounds[1:])]


def _sparse(column: Weights) -> Sparse:
    at = np.flatnonzero(column)
    return Sparse(at, column[at])


def _sum(parts: Iterable[Sparse], size: int) -> Weights:
    """The sum of sparse columns as a dense column."""
    total: Weights = np.zeros(size)
    for part in parts:
        total[part.at] += part.values
    return total


def _values_of(wanted: Ids, parts: Iterable[Sparse], size: int) -> list[Values]:
    """The values of the wanted elements, by series; columns have ``size`` elements."""
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
