# SPDX-License-Identifier: MIT OR GPL-2.0
"""Selected samples over time: their sums by step, and a heat map by another key."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from ..analysis.interner import Ids
from .cells import Cells
from .keys import key_of


def by_step(cells: Cells, which: Ids) -> list[int]:
    """Returns the sum of each step of time; empty if no capture has times."""
    if not cells.clock.steps:
        return []
    sums = cells.sums.some(which).by(cells.step[which], cells.clock.steps)
    return sums.integers()


def heat(cells: Cells, which: Ids, by: str, top: int) -> dict[str, object]:
    """Returns the sums by step for the ``top`` values of a key with the largest sums.

    ``others`` is the number of other values.
    """
    key, steps = key_of(cells, by), cells.clock.steps
    sums, numbers = cells.sums.some(which), key.numbers[which]
    totals = sums.by(numbers, key.size)
    order = np.argsort(-totals.values(), kind="stable")
    there = order[totals.values()[order] > 0]
    ranks = np.full(key.size, top)
    ranks[there[:top]] = np.arange(there[:top].size)
    # All other values are in the last row, which is not used.
    places = ranks[numbers] * steps + cells.step[which]
    table = sums.by(places, (top + 1) * steps).integers()
    rows = zip(there.tolist(), totals.some(there[:top]).integers())
    return {
        "rows": [
            {**asdict(key.row(at, total)), "steps": table[n * steps : (n + 1) * steps]}
            for n, (at, total) in enumerate(rows)
        ],
        "others": int(there[top:].size),
    }
