# SPDX-License-Identifier: MIT OR GPL-2.0
"""A tree of the boxes of a flame graph: stacks, grouped by event and thread name."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Optional, Sequence

import numpy as np

from ..analysis.labels import label, several_events
from ..analysis.profile import Profile
from ..analysis.stacks import ROOT
from ..layout import NDArray

Ids = NDArray[np.intp]
Weights = NDArray[np.float64]

ALL = "all"  # the label of the lowest box
PLAIN = ""  # the object of boxes that are not functions


class Label(NamedTuple):
    """The label of a box: a function, which may be inlined into the box below it."""

    name: str
    object: str = PLAIN
    inlined: bool = False


@dataclass(frozen=True)
class Tree:
    """Boxes, sorted by depth, so that parents have lower indices than their children.

    ``label_of`` has the index in ``labels`` for each box; ``depths`` has the depths.
    The parent of the first box is -1. The stack of the profile's row i ends at box
    ``tops[i]``.
    """

    labels: Sequence[Label]
    label_of: Ids
    parents: Ids
    depths: Ids
    tops: Ids

    def totals(self, weights: Weights, rows: Optional[Ids] = None) -> Weights:
        """Returns the inclusive weight of each box, for all rows or for some."""
        tops = self.tops if rows is None else self.tops[rows]
        totals: Weights = np.zeros(self.parents.size)
        totals += np.bincount(tops, weights, totals.size)
        # Handle one depth at a time, from the highest boxes down.
        for below, level in reversed(self.levels):
            on = self.parents[level] - below.start
            size = below.stop - below.start
            totals[below] += np.bincount(on, totals[level], size)
        return totals

    def lowest_of_label(self) -> NDArray[np.bool_]:
        """Returns a mask of the boxes without a box of the same label below them.

        Sums over these boxes count recursive functions only once.
        """
        lowest = np.ones(self.parents.size, np.bool_)
        boxes, below = np.arange(self.parents.size), self.parents.copy()
        while boxes.size:
            boxes, below = boxes[below >= 0], below[below >= 0]
            same = self.label_of[below] == self.label_of[boxes]
            lowest[boxes[same]] = False
            below = self.parents[below]
        return lowest

    def outermost(self, boxes: Ids) -> Ids:
        """Replaces boxes of inlined functions by those of the functions around them."""
        inlined = np.array([named.inlined for named in self.labels], np.bool_)
        found = boxes.copy()
        while (within := inlined[self.label_of[found]]).any():
            found[within] = self.parents[found[within]]
        return found

    @cached_property
    def levels(self) -> list[tuple[slice, slice]]:
        """The boxes of each depth, paired with the boxes of the next depth."""
        starts = np.flatnonzero(np.diff(self.depths, prepend=-1))
        ends = np.append(starts[1:], self.depths.size)
        slices = [slice(*pair) for pair in zip(starts.tolist(), ends.tolist())]
        return list(zip(slices, slices[1:]))


def sorted_tree(
    labels: Sequence[Label], label_of: Ids, parents: Ids, depths: Ids, tops: Ids
) -> Tree:
    """Makes a tree from boxes in any order, except that the lowest one is first."""
    order = np.argsort(depths, kind="stable")
    numbers = np.empty_like(order)
    numbers[order] = np.arange(order.size)
    sorted_parents = numbers[parents[order]]
    sorted_parents[0] = ROOT
    return Tree(labels, label_of[order], sorted_parents, depths[order], numbers[tops])


def tree_of(profile: Profile) -> Tree:
    """Makes the tree of a profile, with the levels: all, event, thread name, functions.

    If there is only one event, the level of events is omitted.
    """
    builder, rows = _Builder(profile), profile.rows
    tops = array("q", bytes(8 * len(rows)))
    # A base is the box of a thread name. Sort by base, because the builder remembers
    # only boxes above the latest base.
    bases = [builder.base(row.event, row.thread) for row in rows]
    for at in sorted(range(len(rows)), key=bases.__getitem__):
        tops[at] = builder.top(bases[at], rows[at].node)
    return builder.tree(tops)


class _Builder:
    """Makes boxes when they are needed."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._apart = several_events(profile)
        self._labels: dict[Label, int] = {}
        self._frames = [
            self._label(Label(label(frame), frame.object, frame.inlined))
            for frame in profile.frames
        ]
        # Arrays need 8 bytes per box; lists need several times as much.
        self._parents, self._depths = array("q", [ROOT]), array("q", [0])
        self._label_of = array("q", [self._label(Label(ALL))])
        self._bases: dict[tuple[int, str], int] = {}
        # The latest box of each stack. If its index is less than _first, it is above
        # an earlier base, and the stack has no box above the latest base yet.
        self._boxes = array("q", bytes(8 * len(profile.parents)))
        self._last, self._first = ROOT, 0

    def base(self, event: int, thread: int) -> int:
        """Returns the box of a thread's name, which is above the event's box."""
        below = 0
        if self._apart:
            below = self._based(0, self._profile.events[event])
        return self._based(below, self._profile.threads[thread].name)

    def top(self, base: int, node: int) -> int:
        """Returns the box of a stack above a base; calls must be sorted by base."""
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
        """Returns the tree of all boxes that were made."""
        return sorted_tree(
            list(self._labels),
            np.array(self._label_of, np.intp),
            np.array(self._parents, np.intp),
            np.array(self._depths, np.intp),
            np.array(tops, np.intp),
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
