# SPDX-License-Identifier: MIT OR GPL-2.0
"""Tables of selected samples by function, thread, process, event or another key."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Mapping, Sequence

import numpy as np

from ..analysis.interner import Ids
from ..analysis.row_sums import Row as ReportRow
from ..exports.flame_tree import PLAIN
from .cells import Cells
from .graph import Pattern
from .keys import Row, key_of

ORDERS = ("own", "total", "name", "detail")


@dataclass(frozen=True)
class Wanted:
    """A description of the rows to show: the first ``top`` rows that match ``find``.

    The rows are sorted by ``order``, in descending order if ``down`` is set.
    """

    order: str
    down: bool
    top: int
    find: Pattern


def rows_of(cells: Cells, which: Ids, by: str) -> list[Row]:
    """Returns the values of a key that have samples."""
    if by == "function":
        return _functions(cells, which)
    key = key_of(cells, by)
    sums = cells.sums.some(which).by(key.numbers[which], key.size).integers()
    return [key.row(at, total) for at, total in enumerate(sums) if total]


def _functions(cells: Cells, which: Ids) -> list[Row]:
    """Returns the functions; as in reports, inlined ones count for their callers."""
    key, tree = key_of(cells, "function"), cells.tree
    own = cells.sums.some(which).by(key.numbers[which], key.size)
    totals = cells.totals(which).map(lambda part: part * cells.lowest)
    whole = totals.by(tree.label_of, key.size)
    named = [label.object != PLAIN and not label.inlined for label in tree.labels]
    shown = np.flatnonzero(np.array(named) & (whole.values() > 0))
    sums = zip(own.some(shown).integers(), whole.some(shown).integers())
    return [
        replace(key.row(at, mine), total=total)
        for at, (mine, total) in zip(shown.tolist(), sums)
    ]


def rows_of_report(rows: Sequence[ReportRow]) -> list[Row]:
    """Returns the rows of a report by one key."""
    return [
        Row(str(value.key), _detail(value.extra), row.weight)
        for row in rows
        for value in row.values
    ]


def as_json(rows: Sequence[Row], wanted: Wanted) -> dict[str, object]:
    """Returns the wanted rows, and the number and sum of the other matching rows."""
    find = wanted.find
    there = [row for row in rows if find is None or find.search(row.name)]
    there.sort(key=lambda row: (row.name, row.detail))
    if wanted.order in ("own", "total"):
        there.sort(key=lambda row: -(getattr(row, wanted.order) or 0))
    elif wanted.order == "detail":
        there.sort(key=lambda row: row.detail)
    if wanted.down == (wanted.order in ("name", "detail")):
        there.reverse()
    first, others = there[: wanted.top], there[wanted.top :]
    return {
        "rows": [asdict(row) for row in first],
        "others": {"count": len(others), "own": sum(row.own for row in others)},
    }


def _detail(extra: Mapping[str, object]) -> str:
    """Returns further members of a report's row, such as a location's function."""
    parts = (extra[name] for name in extra if name != "address")
    return " ".join(str(part) for part in parts if part is not None)
