# SPDX-License-Identifier: MIT OR GPL-2.0
"""Widths, colours and texts of the SVG flame graph of a profile, or of two sides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Sequence

import numpy as np

from ..analysis.requests import SIDES
from ..text import amount
from .flame_layout import LEAST, colours_of
from .flame_sides import Sides, colour_of, difference, legend, share, too_narrow
from .flame_tree import PLAIN, Tree, Weights
from .interface import Job
from .titles import events_of
from .units import in_unit, unit_of

LEGEND = 8  # objects in the legend


@dataclass(frozen=True)
class Content:
    """Widths, colours and texts of one flame graph.

    ``widths`` is the weight of each box. ``told`` returns the figures of a box;
    ``colour`` returns its colour. ``legend`` has the colours and their meanings.
    """

    widths: Weights
    summary: str
    told: Callable[[int], str]
    colour: Callable[[int], str]
    legend: Sequence[tuple[str, str]]
    notes: list[str] = field(default_factory=list)


def counted(job: Job, sides: Sides, tree: Tree) -> Content:
    """Returns the content of a graph of one side.

    Colours show the objects of functions; texts show weights and shares.
    """
    (totals,) = sides.totals(tree)
    total, unit = int(totals[0]), unit_of(job, sides.profile)
    objects = _by_weight(tree, sides.weights)
    colours = colours_of(objects)
    shown = [where for where in objects if where != PLAIN][:LEGEND]
    counts = in_unit(total, unit)
    if unit != "samples":
        counts += f" in {amount(sides.profile.total(), 'samples', ',')}"

    def told(box: int) -> str:
        part = totals[box] / total if total else 1.0
        return f"{in_unit(int(totals[box]), unit)}, {part:.2%}"

    return Content(
        totals,
        f"{counts} of {_events(sides)}",
        told,
        lambda box: colours[tree.labels[tree.label_of[box]].object],
        [(colours[where], where.rpartition("/")[2] or where) for where in shown],
    )


def compared(job: Job, sides: Sides, tree: Tree) -> Content:
    """Returns the content of a graph of two sides.

    Colours show the differences of shares; texts also show both shares.
    """
    assert job.comparison is not None
    drawn, unit = job.comparison.widths, unit_of(job, sides.profile)
    totals = sides.totals(tree)
    wholes = [float(column[0]) for column in totals]

    def weights(box: int) -> list[float]:
        return [float(column[box]) for column in totals]

    def told(box: int) -> str:
        lines = [
            f"{side} {share(weight, whole):.2f}%, {in_unit(int(weight), unit)}"
            for side, weight, whole in zip(SIDES, weights(box), wholes)
        ]
        lines.append(f"difference {difference(weights(box), wholes):+.2f} points")
        return "\n".join(lines)

    counts = [f"{side} {in_unit(int(n), unit)}" for side, n in zip(SIDES, wholes)]
    return Content(
        totals[drawn],
        f"{'; '.join(counts)} of {_events(sides)}; shares of each side's total, "
        f"colours: new minus old, widths: {SIDES[drawn]}",
        told,
        lambda box: colour_of(difference(weights(box), wholes)),
        legend(),
        _too_narrow(tree, totals, drawn),
    )


def _too_narrow(tree: Tree, totals: Sequence[Weights], drawn: int) -> list[str]:
    """Returns a note about frames that are drawn only with the other side's widths."""
    count, part = too_narrow(tree, totals, drawn)
    here, there = SIDES[drawn], SIDES[1 - drawn]
    if not count:
        return []
    return [
        f"not drawn: {amount(count, 'frames', ',')} with less than {LEAST:.1%} of the "
        f"{here} side, but {part:.2f}% of the {there} side: use --widths {there}"
    ]


def _by_weight(tree: Tree, weights: Weights) -> list[str]:
    """Returns the objects by descending own weight."""
    sums: dict[str, float] = {}
    own = np.bincount(tree.label_of[tree.tops], weights, len(tree.labels))
    for named, weight in zip(tree.labels, own.tolist()):
        sums[named.object] = sums.get(named.object, 0.0) + weight
    return sorted(sums, key=lambda where: (-sums[where], where))


def _events(sides: Sides) -> str:
    return ", ".join(events_of(sides.profile)) or "no event"
