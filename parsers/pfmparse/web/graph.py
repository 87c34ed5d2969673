# SPDX-License-Identifier: MIT OR GPL-2.0
"""Flame graphs of selected samples: of all functions, or around one function."""

from __future__ import annotations

import re
from typing import Optional

import numpy as np

from ..analysis.interner import Ids, Interner
from ..analysis.stacks import ROOT
from ..exports.flame_layout import layout_of
from ..exports.flame_tree import PLAIN, Tree, sorted_tree
from ..layout import NDArray
from .cells import Cells
from .words import Floats, Words

Pattern = Optional[re.Pattern[str]]
DIGITS = 7  # digits of positions, which are fractions of the width


def whole(cells: Cells, which: Ids, root: int, find: Pattern) -> dict[str, object]:
    """Returns the graph of some cells, zoomed to a box."""
    totals = cells.totals(which)
    return _as_json(cells, cells.tree, _zoomed(cells.tree, totals, root), find)


def around(cells: Cells, which: Ids, function: int, find: Pattern) -> dict[str, object]:
    """Returns the callers and the callees of a function, as two graphs.

    If the function calls itself, only the outermost call counts; inner calls are in the
    graph of callees.
    """
    outer = np.flatnonzero((cells.tree.label_of == function) & cells.lowest)
    callers, of_callers = _callers(cells, which, outer, function)
    callees, of_callees = _callees(cells, which, outer, function)
    return {
        "selected": cells.sums.some(which).total(),
        "callers": _as_json(cells, callers, of_callers.map(callers.totals), find),
        "callees": _as_json(cells, callees, of_callees.map(callees.totals), find),
    }


def _callers(cells: Cells, which: Ids, outer: Ids, function: int) -> tuple[Tree, Words]:
    """Returns the tree of the boxes below a function's boxes, and its weights."""
    tree, pairs = cells.tree, Interner()
    tops, at = np.zeros(outer.size, np.intp), tree.parents[outer]
    while (left := np.flatnonzero(at > 0)).size:
        tops[left] = pairs.ids(tops[left], tree.label_of[at[left]]) + 1
        at[left] = tree.parents[at[left]]
    return _tree(tree, pairs, function, tops), cells.totals(which).some(outer)


def _callees(cells: Cells, which: Ids, outer: Ids, function: int) -> tuple[Tree, Words]:
    """Returns the tree of the boxes above a function's boxes, and its weights."""
    tree, pairs = cells.tree, Interner()
    found = np.full(tree.parents.size, ROOT)
    found[outer] = 0
    for _, level in tree.levels:
        on = found[tree.parents[level]]
        new = np.flatnonzero(on != ROOT)
        labels = tree.label_of[level][new]
        found[new + level.start] = pairs.ids(on[new], labels) + 1
    tops = found[tree.tops[which]]
    inside = tops != ROOT
    return (
        _tree(tree, pairs, function, tops[inside]),
        cells.sums.some(which[inside]),
    )


def _tree(tree: Tree, pairs: Interner, function: int, tops: Ids) -> Tree:
    """Makes the tree of a function from ``pairs`` of a parent and a label.

    Parent 0 is the function itself.
    """
    on, labels = (part.astype(np.intp) for part in pairs.pairs())
    parents, label_of = np.append(ROOT, on), np.append(function, labels)
    depths, at = np.zeros(parents.size, np.intp), parents.copy()
    while (left := np.flatnonzero(at != ROOT)).size:
        depths[left] += 1
        at[left] = parents[at[left]]
    return sorted_tree(tree.labels, label_of, parents, depths, tops)


def _zoomed(tree: Tree, totals: Words, root: int) -> Words:
    """Returns the totals in a graph that is zoomed to the box ``root``.

    The box ``root`` and the boxes above it keep their totals. The boxes below it, which
    are its callers, get the total of ``root``. All other boxes get 0.
    """
    if root == 0:
        return totals
    inside = np.zeros(tree.parents.size, np.bool_)
    inside[root] = True
    for _, level in tree.levels:
        inside[level] |= inside[tree.parents[level]]
    below = [root]
    while below[-1]:
        below.append(int(tree.parents[below[-1]]))

    def zoomed(part: Floats) -> Floats:
        part = np.where(inside, part, 0.0)
        part[below] = part[root]
        return part

    return totals.map(zoomed)


def _as_json(
    cells: Cells, tree: Tree, totals: Words, find: Pattern
) -> dict[str, object]:
    """Returns the boxes that are wide enough, and the labels to which they refer."""
    layout = layout_of(tree, totals.values())
    numbers = np.array([box.number for box in layout.boxes], np.intp)
    used = tree.label_of[numbers].tolist()
    labels = {label: at for at, label in enumerate(dict.fromkeys(used))}
    hits = _hits(tree, find)
    sums = totals.some(numbers).integers()
    return {
        "total": sums[0],
        "boxes": [
            [
                box.number,
                box.depth,
                round(box.x, DIGITS),
                round(box.width, DIGITS),
                labels[label],
                total,
            ]
            for box, label, total in zip(layout.boxes, used, sums)
        ],
        "labels": [
            {
                "function": label,
                "name": tree.labels[label].name,
                "object": tree.labels[label].object,
                "inlined": tree.labels[label].inlined,
                "colour": cells.colours[tree.labels[label].object],
                "hit": bool(hits[label]),
            }
            for label in labels
        ],
        "found": None if find is None else _found(tree, totals, hits),
        "left_out": layout.left_out,
    }


def _hits(tree: Tree, find: Pattern) -> NDArray[np.bool_]:
    """Returns a mask of the labels that are functions and match."""
    return np.array(
        [
            find is not None
            and label.object != PLAIN
            and find.search(label.name) is not None
            for label in tree.labels
        ],
        np.bool_,
    )


def _found(tree: Tree, totals: Words, hits: NDArray[np.bool_]) -> int:
    """Returns the total of the boxes with these labels; counts each stack once."""
    hit = hits[tree.label_of]
    covered = hit.copy()
    for _, level in tree.levels:
        covered[level] |= covered[tree.parents[level]]
    first = hit.copy()
    first[1:] &= ~covered[tree.parents[1:]]
    return totals.some(first).total()
