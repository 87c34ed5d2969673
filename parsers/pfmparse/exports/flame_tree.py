# SPDX-License-Identifier: MIT OR GPL-2.0
"""The boxes of a flame graph: stacks as a tree, by thread's name and event."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Optional, Sequence

import numpy as np

from ..analysis.profile import Profile
from ..analysis.stacks import ROOT
from ..arrays import NDArray
from .labels import label, several_events

Ids = NDArray[np.intp]
Weights = NDArray[np.float64]

ALL = "all"  # what the lowest box is called
PLAIN = ""  # the object of boxes that are no functions


class Label(NamedTuple):
    """What is written on a box: a function, inlined into what it stands on or not."""

    name: str
    object: str = PLAIN
    inlined: bool = False


@dataclass(frozen=True)
class Tree:
    """Boxes by depth; each stands on ``parents``, a smaller number, the first on -1.

    ``label_of`` is a box's, a number of ``labels``, ``depths`` are those of boxes. Row
    i of the profile is on top of box ``tops[i]``.
    """

    labels: Sequence[Label]
    label_of: Ids
    parents: Ids
    depths: Ids
    tops: Ids

    def totals(self, weights: Weights, rows: Optional[Ids] = None) -> Weights:
        """The weights of all rows, or some, as those of boxes with what is on them."""
        tops = self.tops if rows is None else self.tops[rows]
        totals: Weights = np.zeros(self.parents.size)
        totals += np.bincount(tops, weights, totals.size)
        # A level at once, from the highest one down.
        for below, level in reversed(self._levels):
            on = self.parents[level] - below.start
            size = below.stop - below.start
            totals[below] += np.bincount(on, totals[level], size)
        return totals

    def lowest_of_label(self) -> NDArray[np.bool_]:
        """Which boxes stand on no box of the same label: recursion counts once."""
        lowest = np.ones(self.parents.size, np.bool_)
        boxes, below = np.arange(self.parents.size), self.parents.copy()
        while boxes.size:
            boxes, below = boxes[below >= 0], below[below >= 0]
            same = self.label_of[below] == self.label_of[boxes]
            lowest[boxes[same]] = False
            below = self.parents[below]
        return lowest

    def outermost(self, boxes: Ids) -> Ids:
        """What boxes of inlined functions are inlined into, the others themselves."""
        inlined = np.array([named.inlined for named in self.labels], np.bool_)
        found = boxes.copy()
        while (within := inlined[self.label_of[found]]).any():
            found[within] = self.parents[found[within]]
        return found

    @cached_property
    def _levels(self) -> list[tuple[slice, slice]]:
        """The boxes of each depth, and those on them."""
        starts = np.flatnonzero(np.diff(self.depths, prepend=-1))
        ends = np.append(starts[1:], self.depths.size)
        slices = [slice(*pair) for pair in zip(starts.tolist(), ends.tolist())]
        return list(zip(slices, slices[1:]))


def tree_of(profile: Profile) -> Tree:
    """The tree of a profile: all, its events if there are several, names, functions."""
    builder, rows = _Builder(profile), profile.rows
    tops = array("q", bytes(8 * len(rows)))
    # What stands on one base after the other: only one needs to be remembered.
    bases = [builder.base(row.event, row.thread) for row in rows]
    for at in sorted(range(len(rows)), key=bases.__getitem__):
        tops[at] = builder.top(bases[at], rows[at].node)
    return builder.tree(tops)


class _Builder:
    """Makes boxes as they are needed."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._apart = several_events(profile)
        self._labels: dict[Label, int] = {}
        self._frames = [
            self._label(Label(label(frame), frame.object, frame.inlined))
            for frame in profile.frames
        ]
        # A number of boxes takes 8 bytes in an array, and many times that in a list.
        self._parents, self._depths = array("q", [ROOT]), array("q", [0])
        self._label_of = array("q", [self._label(Label(ALL))])
        self._bases: dict[tuple[int, str], int] = {}
        # The box that a stack had last: one of this base, or an older one.
        self._boxes = array("q", bytes(8 * len(profile.parents)))
        self._last, self._first = ROOT, 0

    def base(self, event: int, thread: int) -> int:
        """The box of a thread's name, in an event."""
        below = 0
        if self._apart:
            below = self._based(0, self._profile.events[event])
        return self._based(below, self._profile.threads[thread].name)

    def top(self, base: int, node: int) -> int:
        """The box of a stack on a base; all of a base are asked for in a row."""
        if base != self._last:
            self._last, self._first = base, len(self._parents)
        new = []
        while node != ROOT and self._boxes[node] < self._first:
            new.append(node)
            node = self._profile.parents[node]
        at = base if node == ROOT else self._boxes[node]
        for node in reversed(new):
            at = self._add(at, self._frames[self._profile.frame_of[node]])
            self._boxes[node] = at
        return at

    def tree(self, tops: Sequence[int]) -> Tree:
        """The tree of what was asked for."""
        depths = np.array(self._depths, np.intp)
        order = np.argsort(depths, kind="stable")
        numbers = np.empty_like(order)
        numbers[order] = np.arange(order.size)
        parents = numbers[np.array(self._parents, np.intp)[order]]
        parents[0] = ROOT
        return Tree(
            list(self._labels),
            np.array(self._label_of, np.intp)[order],
            parents,
            depths[order],
            numbers[np.array(tops, np.intp)],
        )

    def _based(self, below: int, name: str) -> int:
        if (below, name) not in self._bases:
            self._bases[below, name] = self._add(below, self._label(Label(name)))
        return self._bases[below, name]

    def _add(self, below: int, named: int) -> int:
        self._parents.append(below)
        self._label_of.append(named)
        self._depths.append(self._depths[below] + 1)
        return len(self._parents) - 1

    def _label(self, named: Label) -> int:
        return self._labels.setdefault(named, len(self._labels))
