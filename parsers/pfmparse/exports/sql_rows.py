# SPDX-License-Identifier: MIT OR GPL-2.0
"""The rows of a capture's samples in a database: one per sample or per location."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ..analysis.columns import NOBODY
from ..analysis.interner import Ids, Interner
from ..analysis.rows import RowMaker, Rows, pmds_of
from ..analysis.sums import Sums
from ..analysis.weights import COUNT
from ..analysis.weights import GREATEST as MOST
from ..analysis.weights import fits, period_sums
from ..formats.samples import Column
from ..layout import NDArray
from ..recording import Batch
from .sql_database import Values
from .sql_run import GREATEST, Run

NO_STACK = 0


class SampleRows:
    """A row for each sample; ``limited`` is set if a number was too large."""

    limited = False

    def __init__(self, run: Run, weight: str = COUNT) -> None:
        self._run = run
        self._pmds = pmds_of([run.source])
        self._maker = RowMaker(run.source, self._pmds, weight)
        self._next = run.bases["samples"]

    def add(self, batch: Batch) -> None:
        """Adds the samples of a batch."""
        rows, run = self._maker.rows(batch), self._run
        ids = np.arange(self._next, self._next + rows.count)
        self._next += rows.count
        columns: dict[str, Values] = {"id": ids, "run_id": run.id}
        columns |= self._columns(batch, rows)
        run.database.insert("samples", rows.count, columns)
        for pmd, (values, there) in zip(self._pmds, rows.pmds):
            which = np.flatnonzero(there)
            of: dict[str, Values] = {
                "sample_id": ids[which],
                "pmd": pmd,
                "value": values[which],
            }
            run.database.insert("pmd_values", which.size, of)

    def close(self) -> None:
        """Does nothing, because add() has added all rows."""

    def _columns(self, batch: Batch, rows: Rows) -> dict[str, Values]:
        bases = self._run.bases
        stacks = None if rows.stacks is None else rows.stacks + bases["stacks"]
        return {
            "event_id": rows.events + bases["events"],
            "thread_id": self._run.threads.ids(batch) + bases["threads"],
            "location_id": rows.places + bases["locations"],
            "stack_id": stacks,
            "count": 1 if rows.counts is None else self._limited(rows.counts),
            "period": self._limited(_periods(rows)),
            "time_ns": rows.times,
            "cpu": _without_nobody(rows.cpus),
            "data_address": rows.data_addresses,
            "latency": rows.latencies,
            "data_source": rows.data_sources,
        }

    def _limited(self, column: Column) -> Column:
        if int(column.max()) <= GREATEST:
            return column
        self.limited = True
        return np.minimum(column, np.uint64(GREATEST))


class LocationRows:
    """A row per location, stack, event and thread; see SampleRows for ``limited``."""

    limited = False

    def __init__(self, run: Run, weight: str = COUNT) -> None:
        self._run = run
        self._maker = RowMaker(run.source, (), weight)
        self._who, self._where, self._all = Interner(), Interner(), Interner()
        self._counts, self._periods = Sums(), Sums()

    def add(self, batch: Batch) -> None:
        """Adds the samples of a batch."""
        rows = self._maker.rows(batch)
        stacks = np.full(rows.count, NO_STACK)
        if rows.stacks is not None:
            stacks = rows.stacks + 1
        who = self._who.ids(rows.events, self._run.threads.ids(batch))
        ids = self._all.ids(who, self._where.ids(rows.places, stacks))
        self._counts.add(ids, rows.counts)
        self._periods.add(ids, _periods(rows))

    def close(self) -> None:
        """Adds the rows to the database."""
        count, bases = len(self._all), self._run.bases
        who, where = _pairs(self._all)
        events, threads = _pairs(self._who)
        places, stacks = _pairs(self._where)
        first = bases["samples"]
        columns: dict[str, Values] = {
            "id": np.arange(first, first + count),
            "run_id": self._run.id,
            "event_id": events[who] + bases["events"],
            "thread_id": threads[who] + bases["threads"],
            "location_id": places[where] + bases["locations"],
            "stack_id": [
                None if stack == NO_STACK else stack - 1 + bases["stacks"]
                for stack in stacks[where].tolist()
            ],
            "count": self._limited(self._counts.result(count)),
            "period": self._limited(self._periods.result(count)),
        }
        self._run.database.insert("samples", count, columns)

    def _limited(self, sums: list[int]) -> list[int]:
        self.limited = self.limited or max(sums, default=0) > GREATEST
        return [min(total, GREATEST) for total in sums]


def _periods(rows: Rows) -> NDArray[Any]:
    """Returns the column "period": the chosen weight, or else the sum of periods.

    Sums that do not fit into 64 bits become 2^64 - 1.
    """
    if rows.weights is not None:
        return rows.weights
    sums = period_sums(rows.samples)
    if sums is not None:
        return sums
    if rows.counts is None:
        return rows.periods
    periods = rows.periods.astype(np.uint64)
    found: NDArray[Any] = periods * rows.counts.astype(np.uint64)
    return np.where(fits(periods, rows.counts), found, MOST)


def _without_nobody(column: Optional[Column]) -> Values:
    if column is None or not (column == NOBODY).any():
        return column
    return [None if number == NOBODY else number for number in column.tolist()]


def _pairs(interner: Interner) -> tuple[Ids, Ids]:
    a, b = interner.pairs()
    return a.astype(np.intp), b.astype(np.intp)
