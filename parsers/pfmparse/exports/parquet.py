# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to Parquet: a row for each sample, written by pyarrow (docs/exports.md)."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from ..analysis.inputs import Input
from ..analysis.interner import Ids
from ..analysis.labels import StackTexts
from ..analysis.rows import CARRIED, Number, RowMaker, Rows, numbers_of
from ..analysis.table import SAME, TEXTS, texts_of
from ..analysis.weights import COUNT
from ..recording import Batch
from ..symbols.location import Detail
from ..text import ESCAPED
from .interface import Export, ExportError, Job
from .unsupported import noted

ADDRESS = Number("<u8", lambda rows: rows.addresses)
STACK = "stack"
NAMES = tuple(name for name in TEXTS if name != STACK)


def write(job: Job) -> None:
    """Writes the rows. Raises ExportError if pyarrow is not installed."""
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
    """Returns pyarrow, which not all users have, and its class that writes files."""
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
        self._names = {
            name: _Names(arrow, partial(texts_of, name, source, self._maker))
            for name in NAMES
        }

    def of(self, batch: Batch) -> list[Any]:
        """Returns the columns of a batch."""
        rows = self._maker.rows(batch)
        numbers = [number.of(rows) for number in self._numbers.values()]
        texts = self._names.items()
        return [
            *(self._arrow.array(np.ascontiguousarray(column)) for column in numbers),
            *(names.of(_ids(name, rows), rows.count) for name, names in texts),
            self._stacks_of(rows),
        ]

    def _stacks_of(self, rows: Rows) -> Any:
        kind = self._arrow.string()
        if rows.stacks is None:
            return self._arrow.nulls(rows.count, kind)
        texts = map(_plain, self._stacks.texts(rows.stacks))
        return self._arrow.array(list(texts), kind)


class _Names:
    """Makes a column of names, with an ID for each text."""

    def __init__(self, arrow: Any, new: Callable[[int], Sequence[str]]) -> None:
        """``new(first)`` returns the texts of all IDs from ``first`` on."""
        self._arrow, self._new = arrow, new
        self._numbers: dict[str, int] = {"": 0}  # the column's IDs of the texts
        self._known = np.zeros(0, np.int32)

    def of(self, ids: Optional[Ids], count: int) -> Any:
        """Returns the column for these IDs; without IDs, for ``count`` empty texts."""
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
    """Returns the IDs of a column's texts; None if the texts are unknown."""
    return np.zeros(rows.count, np.intp) if name in SAME else TEXTS[name](rows)


def _plain(text: str) -> str:
    """Escapes bytes that are not valid UTF-8."""
    return text.encode("utf-8", ESCAPED).decode()


EXPORT = Export("parquet", "Parquet, a row per sample", write, Detail.LINE)
