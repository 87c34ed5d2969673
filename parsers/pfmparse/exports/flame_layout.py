# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compute the positions and colours of the boxes of a flame graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence

import numpy as np

from ..symbols.location import JIT, UNKNOWN
from .flame_tree import PLAIN, Ids, Tree, Weights

LEAST = 0.001  # smallest width of a box, relative to the lowest box's width
NARROW = f"narrower than {LEAST:.1%} of the graph"

# All colours are light enough for black text.
OF_PLAIN, OF_UNKNOWN, OF_JIT = "#d3d7de", "#e6e0d4", "#bfe08f"
OF_KERNEL = ("#f4a58c", "#f0b95e", "#f7c9a8", "#e8b4a0")
OF_FILES: tuple[str, ...] = (
    "#8fc7e8",
    "#f2d06b",
    "#9bd9c0",
    "#c9b6ea",
    "#b5c98a",
    "#e8b0cf",
)
OF_FILES += ("#a9bdf0", "#dcc7a1")
# Objects in user space whose names have brackets, as those of kernel modules do.
USER = ("[vdso]", "[vvar]", "[vsyscall]", "[heap]", "[uprobes]")
USER_KINDS = ("[anon", "[stack")


@dataclass(frozen=True)
class Box:
    """A box to draw; ``x`` and ``width`` are fractions of the lowest box's width."""

    number: int
    depth: int
    x: float
    width: float


@dataclass(frozen=True)
class Layout:
    """The boxes to draw, lowest first, and the number and share of all other boxes."""

    boxes: Sequence[Box]
    left_out: int
    left_out_part: float


def layout_of(tree: Tree, totals: Weights) -> Layout:
    """Returns the layout of all boxes that are wide enough; sorts siblings by name."""
    total = float(totals[0])
    if not total:
        return Layout([Box(0, 0, 0.0, 1.0)], 0, 0.0)
    shown = totals >= LEAST * total
    shown[0] = True
    used: dict[int, float] = {}  # end of the last child, by box
    boxes = [Box(0, 0, 0.0, 1.0)]
    places = {0: boxes[0]}
    for number in _in_order(tree, np.flatnonzero(shown)):
        below = places[int(tree.parents[number])]
        at = used.get(below.number, below.x)
        box = Box(number, below.depth + 1, at, float(totals[number]) / total)
        used[below.number] = at + box.width
        places[number] = box
        boxes.append(box)
    hidden = np.flatnonzero(~shown & (totals > 0))
    on_shown = hidden[shown[tree.parents[hidden]]]
    return Layout(boxes, hidden.size, float(totals[on_shown].sum()) / total)


def _in_order(tree: Tree, numbers: Ids) -> Iterable[int]:
    """Returns all boxes except the first one, by depth and then by name."""
    found = [number for number in numbers.tolist() if number]
    names = {number: tree.labels[tree.label_of[number]] for number in found}
    return sorted(found, key=lambda number: (int(tree.depths[number]), names[number]))


def colours_of(objects: Iterable[str]) -> dict[str, str]:
    """Returns a colour for each object; colours repeat if there are many objects."""
    found: dict[str, str] = {}
    kernels = files = 0
    for where in objects:
        if where in found:
            continue
        if where in (PLAIN, UNKNOWN, JIT):
            found[where] = {PLAIN: OF_PLAIN, UNKNOWN: OF_UNKNOWN, JIT: OF_JIT}[where]
        elif is_kernel(where):
            found[where] = OF_KERNEL[kernels % len(OF_KERNEL)]
            kernels += 1
        else:
            found[where] = OF_FILES[files % len(OF_FILES)]
            files += 1
    return found


def is_kernel(where: str) -> bool:
    """Returns whether the object is the kernel or a module."""
    of_user = where in (UNKNOWN, JIT, *USER) or where.startswith(USER_KINDS)
    return where.startswith("[") and not of_user
