# SPDX-License-Identifier: MIT OR GPL-2.0
"""A table of the samples of an input: a numpy array for each column."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

import numpy as np

from ..layout import NDArray
from ..symbols.location import Detail
from .columns import check_name, named
from .inputs import Input
from .interner import Ids
from .labels import StackTexts
from .rows import Number, RowMaker, Rows

Array = NDArray[Any]

# Columns with the same text for all samples of an input.
SAME = ("file", "host")

# Columns of texts, each with the function that returns the IDs of its texts.
TEXTS: dict[str, Callable[[Rows], Optional[Ids]]] = {
    "comm": lambda rows: rows.names,
    "event": lambda rows: rows.events,
    "function": lambda rows: rows.places,
    "object": lambda rows: rows.places,
    "line": lambda rows: rows.places,
    "stack": lambda rows: rows.stacks,
    **dict.fromkeys(SAME, lambda rows: None),
}
# The detail about locations that columns need. Other columns need Detail.OBJECT.
SYMBOLS = {"function": Detail.SYMBOL, "stack": Detail.SYMBOL, "line": Detail.LINE}


def detail_of(columns: Iterable[str]) -> Detail:
    """Returns the detail that must be looked up for these columns."""
    details = [SYMBOLS.get(name, Detail.OBJECT) for name in columns]
    return max(details, key=list(Detail).index, default=Detail.OBJECT)


class Table:
    """Collects columns of the samples of an input."""

    def __init__(
        self, source: Input, numbers: Mapping[str, Number], columns: Sequence[str]
    ) -> None:
        """Makes empty columns.

        Each of ``columns`` is a key of ``numbers`` or TEXTS, or a name that
        columns.named() accepts.

        Raises PfmParseError if a column is a PMD of which no sample has a value.
        """
        self._source, self._numbers = source, numbers
        self._maker = RowMaker(source, ())
        for name in columns:
            if name not in numbers:
                check_name(name, source.recording)
        self._parts: dict[str, list[Array]] = {name: [] for name in columns}

    def read(self) -> dict[str, Array]:
        """Reads the selected samples. Raises PfmParseError if a column is missing."""
        for batch in self._source.batches():
            if batch.samples.count:
                rows = self._maker.rows(batch)
                for name, parts in self._parts.items():
                    parts.append(self._part(name, rows))
        columns = {name: self._joined(name) for name in [*self._parts]}
        return {
            name: self._texts(name, column) if name in TEXTS else column
            for name, column in columns.items()
        }

    def _joined(self, name: str) -> Array:
        number = self._numbers.get(name)
        empty = np.zeros(0, np.uint64 if number is None else number.dtype)
        return joined([*self._parts.pop(name, ()), empty])

    def _part(self, name: str, rows: Rows) -> Array:
        """Returns a column's numbers, or the IDs of its texts: -1 for unknown texts."""
        if name in TEXTS:
            ids = TEXTS[name](rows)
            return np.full(rows.count, -1, np.intp) if ids is None else ids
        if name in self._numbers:
            return self._numbers[name].of(rows)
        return named(rows.samples, name)

    def _texts(self, name: str, ids: Array) -> Array:
        """Returns the texts of IDs, as an array of objects; equal texts are shared."""
        if name in SAME:
            return np.full(ids.size, getattr(self._source, name), object)
        if name == "stack":
            return self._stacks(ids)
        # The last text belongs to the ID -1, which means unknown.
        texts = objects([*texts_of(name, self._source, self._maker), ""])
        return texts[ids.astype(np.intp, copy=False)]

    def _stacks(self, ids: Array) -> Array:
        texts = np.full(ids.size, "", object)
        known = ids >= 0
        if known.any():
            texts[known] = list(StackTexts(self._source).texts(ids[known]))
        return texts


def texts_of(
    name: str, source: Input, maker: RowMaker, start: int = 0
) -> Sequence[str]:
    """Returns the texts of a column, by ID, beginning with that of ID ``start``.

    ``name`` is a key of TEXTS except "stack". Columns ``file`` and ``host`` have only
    one text, whose ID is 0.
    """
    if name in SAME:
        return [getattr(source, name)][start:]
    if name == "comm":
        return maker.names.all()[start:]
    if name == "event":
        return [*(event.name for event in source.events.all[:-1]), ""][start:]
    locations = source.places.locations()[start:]
    if name == "object":
        return [location.object for location in locations]
    if name == "line":
        return [location.line or "" for location in locations]
    return [location.symbol or "" for location in locations]


def joined(parts: Sequence[Array]) -> Array:
    """Returns the parts of a column as one contiguous array."""
    some = [part for part in parts if part.size] or parts[:1]
    return np.concatenate(some) if some else np.zeros(0, np.uint64)


def objects(values: Sequence[object]) -> Array:
    """Returns an array of these objects."""
    array = np.empty(len(values), object)
    array[:] = values
    return array
