# SPDX-License-Identifier: MIT OR GPL-2.0
"""Exports to Parquet: a row for each sample, written by pyarrow (docs/exports.md)."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from ..analysis.inputs import Input
from ..analysis.interner import Ids
from ..analysis.labels import StackTexts
from ..analysis.rows import CARRIED, Number, RowMaker, Rows, numbers_of
from ..analysis.table import TEXTS
from ..analysis.weights import COUNT
from ..recording import Batch
from ..symbols.location import Detail, Location
from .interface import Export, ExportError, Job
from .unsupported import noted

ADDRESS = Number("<u8", lambda rows: rows.addresses)
STACK = "stack"
NAMES = tuple(name for name in TEXTS if name != STACK)
SAME = ("file", "host")  # for all samples of an input


def write(job: Job) -> None:
    """Writes the rows; ExportError without pyarrow."""
    arrow, writer = _pyarrow()
    numbers = {**numbers_of(job.inputs), "address": ADDRESS}
    if job.weight != COUNT:
        numbers["weight"] = Number("<u8", lambda rows: rows.weights)
    kinds = {name: arrow.from_numpy_dtype(n.dtype) for name, n in numbers.items()}
    kinds |= dict.fromkeys(NAMES, arrow.dictionary(arrow.int32(), arrow.string()))
    schema = arrow.schema([*kinds.items(), (STACK, arrow.string())])
    with writer(job.path, schema) as out:
        for source in job.inputs:
            columns = _Columns(arrow, source, numbers, job.weight)
            for batch in noted(job, source, CARRIED, pmds=True):
                if batch.samples.count:
                    out.write_batch(arrow.record_batch(columns.of(batch), schema))


def _pyarrow() -> tuple[Any, Any]:
    """The module and its writer of files; most users of pfmparse do not have it."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet").ParquetWriter
    except ImportError as error:
        raise ExportError(
            f"needs pyarrow: install it, or use --to npz or csv ({error})"
        ) from error


class _Columns:
    """Makes the columns of an input, in the order of the schema."""

    def __init__(
        self, arrow: Any, source: Input, numbers: Mapping[str, Number], weight: str
    ) -> None:
        self._arrow, self._numbers = arrow, numbers
        self._maker = RowMaker(source, (), weight)
        self._stacks = StackTexts(source)
        events = [*(event.name for event in source.events.all[:-1]), ""]
        names: dict[str, Callable[[int], Sequence[str]]] = {
            "comm": lambda done: self._maker.names.all()[done:],
            "event": lambda done: events[done:],
            "function": lambda done: [place.symbol or "" for place in places(done)],
            "object": lambda done: [place.object for place in places(done)],
            "line": lambda done: [place.line or "" for place in places(done)],
            "file": lambda _: [source.file],
            "host": lambda _: [source.host],
        }
        self._names = {name: _Names(arrow, new) for name, new in names.items()}

        def places(done: int) -> Sequence[Location]:
            return source.places.locations()[done:]

    def of(self, batch: Batch) -> list[Any]:
        """The columns of a batch."""
        rows = self._maker.rows(batch)
        numbers = [number.of(rows) for number in self._numbers.values()]
        return [
            *(self._arrow.array(np.ascontiguousarray(column)) for column in numbers),
            *(self._names[name].of(_ids(name, rows), rows.count) for name in NAMES),
            self._stacks_of(rows),
        ]

    def _stacks_of(self, rows: Rows) -> Any:
        kind = self._arrow.string()
        if rows.stacks is None:
            return self._arrow.nulls(rows.count, kind)
        texts = map(_plain, self._stacks.texts(rows.stacks))
        return self._arrow.array(list(texts), kind)


class _Names:
    """Makes columns of numbers and their texts."""

    def __init__(self, arrow: Any, new: Callable[[int], Sequence[str]]) -> None:
        """``new`` returns all texts from a number on."""
        self._arrow, self._new = arrow, new
        self._numbers: dict[str, int] = {"": 0}  # of different texts
        self._known = np.zeros(0, np.int32)

    def of(self, ids: Optional[Ids], count: int) -> Any:
        """The column of these numbers; without numbers, ``count`` empty texts."""
        if ids is None:
            ids = np.zeros(count, np.int32)
        else:
            if int(ids.max()) >= self._known.size:
                self._learn()
            ids = self._known[ids]
        texts = self._arrow.array(list(self._numbers), self._arrow.string())
        return self._arrow.DictionaryArray.from_arrays(ids, texts)

    def _learn(self) -> None:
        new = map(_plain, self._new(self._known.size))
        numbers = [self._numbers.setdefault(text, len(self._numbers)) for text in new]
        self._known = np.append(self._known, np.array(numbers, np.int32))


def _ids(name: str, rows: Rows) -> Optional[Ids]:
    """The numbers of texts; None if they are unknown."""
    return np.zeros(rows.count, np.intp) if name in SAME else TEXTS[name](rows)


def _plain(text: str) -> str:
    """A text without bytes that are not valid UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


EXPORT = Export("parquet", "Parquet, a row per sample", write, Detail.LINE)
