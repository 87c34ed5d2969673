# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to comma-separated values (RFC 4180) with a row for each sample."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

import numpy as np

from ..analysis.columns import NOBODY
from ..analysis.inputs import Input
from ..analysis.interner import Ids, Interner
from ..analysis.labels import StackTexts
from ..analysis.rows import CARRIED, RowMaker, Rows, pmds_of
from ..analysis.weights import COUNT
from ..formats.data_source import name_of
from ..formats.samples import Column
from ..layout import NDArray
from ..recording import Batch
from ..symbols.location import Detail, Location
from ..text import ESCAPED
from .csv_lines import END, Field, Numbers, Same, Texts, assembled
from .interface import Export, Job
from .unsupported import noted

HEAD = ("time", "cpu", "pid", "tid", "comm", "event", "period", "count")
WEIGHT = ("weight",)  # unless the weight is the count
PLACE = ("address", "function", "object", "line", "stack")
DATA = ("data_address", "latency", "data_source")

SPECIAL = frozenset(',"\r\n')


def write(job: Job) -> None:
    """Writes the rows, with a header."""
    pmds = pmds_of(job.inputs)
    with job.path.open("wb") as out:
        weight = () if job.weight == COUNT else WEIGHT
        names = (f"pmd{pmd}" for pmd in pmds)
        out.write(",".join([*HEAD, *weight, *PLACE, *DATA, *names]).encode() + END)
        for source in job.inputs:
            lines = _Lines(source, pmds, job.weight)
            for batch in noted(job, source, CARRIED, pmds=True):
                if batch.samples.count:
                    out.writelines(lines.of(batch))


class _Lines:
    """Makes the lines of an input; caches the parts of lines, because most repeat."""

    def __init__(self, source: Input, pmds: Sequence[int], weight: str) -> None:
        self._source = source
        self._maker = RowMaker(source, pmds, weight)
        self._who = _Who(source, self._maker)
        self._where = Texts(self._places)
        self._stack_texts = StackTexts(source)
        self._stacks = Texts(self._new_stacks)
        self._sources = Interner()
        self._source_names = Texts(self._new_sources)

    def of(self, batch: Batch) -> Iterator[memoryview]:
        """Yields the lines of a non-empty batch, several at a time."""
        rows = self._maker.rows(batch)
        nothing = Same(b"", rows.count)
        return assembled(
            [
                _numbers(rows.times, nothing),
                self._who.of(rows),
                _numbers(rows.periods, nothing),
                _numbers(rows.counts, Same(b"1", rows.count)),
                *([] if rows.weights is None else [_numbers(rows.weights, nothing)]),
                self._where.of(rows.places),
                nothing if rows.stacks is None else self._stacks.of(rows.stacks),
                _numbers(rows.data_addresses, nothing, base=16),
                _numbers(rows.latencies, nothing),
                self._sources_of(rows.data_sources, nothing),
                *(_numbers(values, nothing, there) for values, there in rows.pmds),
            ]
        )

    def _sources_of(self, values: Optional[Column], nothing: Field) -> Field:
        if values is None:
            return nothing
        ids = self._sources.ids(np.zeros(1, np.uint64), values)
        return self._source_names.of(ids)

    def _places(self, ids: Ids) -> list[bytes]:
        places = self._source.places
        locations, addresses = places.locations(), places.addresses()[ids].tolist()
        return [_place(locations[at], ip) for at, ip in zip(ids.tolist(), addresses)]

    def _new_stacks(self, ids: Ids) -> list[bytes]:
        return [_encoded(_quoted(text)) for text in self._stack_texts.texts(ids)]

    def _new_sources(self, ids: Ids) -> list[bytes]:
        values = self._sources.pairs()[1][ids].tolist()
        return [_encoded(_quoted(name_of(value))) for value in values]


class _Who:
    """Formats the CPU, process, thread, name and event of samples."""

    def __init__(self, source: Input, maker: RowMaker) -> None:
        self._events = [_quoted(event.name) for event in source.events.all[:-1]] + [""]
        self._maker = maker
        self._threads, self._named = Interner(), Interner()
        self._where, self._all = Interner(), Interner()
        self._texts = Texts(self._new)

    def of(self, rows: Rows) -> Field:
        """Returns the text of each sample."""
        nobody = np.full(rows.count, NOBODY, np.uint32)
        numbers = [nobody if c is None else c for c in (rows.tgids, rows.tids)]
        threads = self._threads.ids(*numbers)
        names = nobody if rows.names is None else rows.names
        where = self._where.ids(nobody if rows.cpus is None else rows.cpus, rows.events)
        return self._texts.of(self._all.ids(self._named.ids(threads, names), where))

    def _new(self, ids: Ids) -> list[bytes]:
        tgids, tids = (part.tolist() for part in self._threads.pairs())
        threads, names = (part.tolist() for part in self._named.pairs())
        cpus, events = (part.tolist() for part in self._where.pairs())
        comms = [_quoted(name) for name in self._maker.names.all()]
        found = []
        for named, where in zip(*(part[ids].tolist() for part in self._all.pairs())):
            thread, name = threads[named], names[named]
            comm = "" if name == NOBODY else comms[name]
            numbers = map(_known, (cpus[where], tgids[thread], tids[thread]))
            text = ",".join([*numbers, comm, self._events[events[where]]])
            found.append(_encoded(text))
        return found


def _numbers(
    column: Optional[Column],
    unknown: Field,
    there: Optional[NDArray[np.bool_]] = None,
    base: int = 10,
) -> Field:
    """Formats numbers; the field is empty where ``there`` is False.

    Returns ``unknown`` if there is no column.
    """
    if column is None:
        return unknown
    wide = column.astype(np.uint64, copy=False)
    if base == 10 and there is None and (wide == wide[0]).all():
        return Same(str(int(wide[0])).encode(), wide.size)
    return Numbers(wide, there, base)


def _place(location: Location, address: int) -> bytes:
    names = location.symbol or "", location.object, location.line or ""
    return _encoded(f"{address:#x}," + ",".join(map(_quoted, names)))


def _quoted(text: str) -> str:
    """Returns a field, quoted if necessary."""
    if SPECIAL.isdisjoint(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def _encoded(text: str) -> bytes:
    """Encodes a text; escapes bytes of names that are not UTF-8."""
    return text.encode("utf-8", ESCAPED)


def _known(number: int) -> str:
    return "" if number == NOBODY else str(number)


EXPORT = Export("csv", "comma-separated values, a row per sample", write, Detail.LINE)
