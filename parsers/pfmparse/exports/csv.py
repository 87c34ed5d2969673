# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to comma-separated values (RFC 4180) with a row for each sample."""

from __future__ import annotations

from itertools import chain, islice, repeat
from typing import Callable, Iterable, Iterator, Optional, Sequence

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
from .interface import Export, Job
from .unsupported import noted

HEAD = ("time", "cpu", "pid", "tid", "comm", "event", "period", "count")
WEIGHT = ("weight",)  # unless the weight is the count
PLACE = ("address", "function", "object", "line", "stack")
DATA = ("data_address", "latency", "data_source")

BLOCK = 1 << 14  # pieces that are joined at once, few enough for the cache
SPECIAL = frozenset(',"\r\n')

Texts = Iterable[str]


def write(job: Job) -> None:
    """Writes the rows, with a header."""
    pmds = pmds_of(job.inputs)
    with job.path.open(
        "w", encoding="utf-8", errors="backslashreplace", newline=""
    ) as out:
        weight = () if job.weight == COUNT else WEIGHT
        names = (f"pmd{pmd}" for pmd in pmds)
        out.write(",".join([*HEAD, *weight, *PLACE, *DATA, *names]) + "\r\n")
        for source in job.inputs:
            lines = _Lines(source, pmds, job.weight)
            for batch in noted(job, source, CARRIED, pmds=True):
                if batch.samples.count:
                    out.writelines(lines.texts(batch))


class _Lines:
    """Makes the lines of an input; caches the parts of lines, because most repeat."""

    def __init__(self, source: Input, pmds: Sequence[int], weight: str) -> None:
        self._source = source
        self._maker = RowMaker(source, pmds, weight)
        self._who = _Who(source, self._maker)
        self._where = _Table(self._places)
        self._stacks = StackTexts(source, lambda text: "," + _quoted(text))
        self._sources = Interner()
        self._source_names = _Table(self._new_sources)

    def texts(self, batch: Batch) -> Iterator[str]:
        """Yields the lines of a non-empty batch, several per string."""
        rows = self._maker.rows(batch)
        parts = [
            _numbers(rows.times),
            self._who.texts(rows),
            _numbers(rows.periods, ","),
            _numbers(rows.counts, ",", "1"),
            "" if rows.weights is None else _numbers(rows.weights, ","),
            self._where.texts(rows.places),
            self._stacks_of(rows),
            _hexadecimal(rows.data_addresses),
            _numbers(rows.latencies, ","),
            self._sources_of(rows.data_sources),
            *(_where(*pmd) for pmd in rows.pmds),
        ]
        pieces = chain.from_iterable(zip(*_merged(parts, rows.count)))
        while text := "".join(islice(pieces, BLOCK)):
            yield text

    def _stacks_of(self, rows: Rows) -> Texts | str:
        return "," if rows.stacks is None else self._stacks.texts(rows.stacks)

    def _sources_of(self, values: Optional[Column]) -> Texts | str:
        if values is None:
            return ","
        ids = self._sources.ids(np.zeros(1, np.uint64), values)
        return self._source_names.texts(ids)

    def _places(self, done: int) -> list[str]:
        addresses = self._source.places.addresses()[done:].tolist()
        found = zip(self._source.places.locations()[done:], addresses)
        return [_place(location, address) for location, address in found]

    def _new_sources(self, done: int) -> list[str]:
        values = self._sources.pairs()[1][done:].tolist()
        return ["," + _quoted(name_of(value)) for value in values]


class _Table:
    """Texts by ID; each text is made only once."""

    def __init__(self, new: Callable[[int], list[str]]) -> None:
        """``new`` makes all texts from an ID on."""
        self._new = new
        self._all: list[str] = []

    def texts(self, ids: Ids) -> Texts:
        """Returns the text of each ID."""
        if int(ids.max()) >= len(self._all):
            self._all += self._new(len(self._all))
        return map(self._all.__getitem__, ids.tolist())


class _Who:
    """Formats the CPU, process, thread, name and event of samples."""

    def __init__(self, source: Input, maker: RowMaker) -> None:
        self._events = [_quoted(event.name) for event in source.events.all[:-1]] + [""]
        self._maker = maker
        self._threads, self._named = Interner(), Interner()
        self._where, self._all = Interner(), Interner()
        self._table = _Table(self._new)

    def texts(self, rows: Rows) -> Texts:
        """Returns the text of each sample."""
        nobody = np.full(rows.count, NOBODY, np.uint32)
        numbers = [nobody if c is None else c for c in (rows.tgids, rows.tids)]
        threads = self._threads.ids(*numbers)
        names = nobody if rows.names is None else rows.names
        where = self._where.ids(nobody if rows.cpus is None else rows.cpus, rows.events)
        return self._table.texts(self._all.ids(self._named.ids(threads, names), where))

    def _new(self, done: int) -> list[str]:
        tgids, tids = (part.tolist() for part in self._threads.pairs())
        threads, names = (part.tolist() for part in self._named.pairs())
        cpus, events = (part.tolist() for part in self._where.pairs())
        comms = [_quoted(name) for name in self._maker.names.all()]
        found = []
        for named, where in zip(*(part[done:].tolist() for part in self._all.pairs())):
            thread, name = threads[named], names[named]
            comm = "" if name == NOBODY else comms[name]
            numbers = map(_known, (cpus[where], tgids[thread], tids[thread]))
            text = ",".join([*numbers, comm, self._events[events[where]]])
            found.append("," + text)
        return found


def _merged(parts: Sequence[Texts | str], count: int) -> list[Texts]:
    """Returns the parts of lines; joins adjacent parts that are equal in all lines."""
    merged: list[Texts] = []
    same = ""
    for part in [*parts, "\r\n"]:
        if isinstance(part, str):
            same += part
            continue
        if same:
            merged.append(repeat(same, count))
        merged.append(part)
        same = ""
    return [*merged, repeat(same, count)]


def _numbers(
    column: Optional[Column], before: str = "", unknown: str = ""
) -> Texts | str:
    """Formats decimal numbers; returns a single text if all are equal."""
    if column is None:
        return before + unknown
    if (column == column[0]).all():
        return before + str(int(column[0]))
    texts = map(str, column.tolist())
    return map(before.__add__, texts) if before else texts


def _hexadecimal(column: Optional[Column]) -> Texts | str:
    return "," if column is None else map(",{:#x}".format, column.tolist())


def _where(values: Column, there: NDArray[np.bool_]) -> Texts | str:
    """Formats numbers; the field is empty where ``there`` is False."""
    if there.all():
        return _numbers(values, ",")
    if not there.any():
        return ","
    pairs = zip(values.tolist(), there.tolist())
    return (f",{value}" if known else "," for value, known in pairs)


def _place(location: Location, address: int) -> str:
    names = location.symbol or "", location.object, location.line or ""
    return f",{address:#x}," + ",".join(map(_quoted, names))


def _quoted(text: str) -> str:
    """Returns a field, quoted if necessary."""
    if SPECIAL.isdisjoint(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def _known(number: int) -> str:
    return "" if number == NOBODY else str(number)


EXPORT = Export("csv", "comma-separated values, a row per sample", write, Detail.LINE)
