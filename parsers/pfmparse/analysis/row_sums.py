# SPDX-License-Identifier: MIT OR GPL-2.0
"""Group samples by one or several keys, and sum them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Mapping, Optional, Sequence

import numpy as np

from ..recording import Batch
from . import keys
from .inputs import Input
from .interner import Ids, Interner, U64s
from .keys import Key, Value
from .requests import Wanted
from .sums import Sums
from .weights import COUNT, Weight

if TYPE_CHECKING:
    from .statistics import Statistics
    from .statistics import Values as StatValues

Values = tuple[Value, ...]


class Groups:
    """Assigns dense IDs to the combinations of the keys' values that occur."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self._keys = keys
        # One Interner for each key after the first. Its pairs consist of the ID of a
        # combination of values of the previous keys, and the ID of this key's value.
        self._pairs = [Interner() for _ in keys[1:]]

    def ids(self, batch: Batch) -> Ids:
        """Returns the combination ID of each sample."""
        ids = self._keys[0].ids(batch)
        for key, pairs in zip(self._keys[1:], self._pairs):
            ids = pairs.ids(_unsigned(ids), _unsigned(key.ids(batch)))
        return ids

    def values(self) -> list[Values]:
        """Returns the values of the keys, by ID; several IDs may have equal values."""
        found: list[Values] = [(value,) for value in self._keys[0].values()]
        for key, pairs in zip(self._keys[1:], self._pairs):
            values = key.values()
            before, last = (part.tolist() for part in pairs.pairs())
            found = [found[a] + (values[b],) for a, b in zip(before, last)]
        return found


def _unsigned(ids: Ids) -> U64s:
    return ids.astype(np.uint64)


@dataclass
class Row:
    """The number and weight of the samples that have the same values of all keys.

    ``stats`` has, by name, the columns of which figures such as the mean are reported.
    """

    values: Values
    samples: int = 0
    weight: int = 0
    stats: dict[str, StatValues] = field(default_factory=dict)

    def order(self) -> tuple[object, ...]:
        """Returns the sort key: descending weight, then the keys."""
        return (-self.weight, *[_order(value) for value in self.values])


def add(
    rows: dict[Values, Row],
    source: Input,
    by: Sequence[str],
    weight: str = COUNT,
    wanted: Sequence[Wanted] = (),
    figures: Sequence[str] = (),
) -> list[str]:
    """Adds the samples of an input to ``rows``; returns the titles of the keys ``by``.

    ``weight`` is a name that the class Weight accepts. ``wanted`` has the columns of
    which ``figures`` are reported. Raises PfmParseError if the samples lack a column.
    """
    made = [keys.key(name, source) for name in by]
    groups, weight_of = Groups(made), Weight(weight, source.events)
    samples, weights = Sums(), Sums()
    stats = _statistics(source, wanted, figures)
    weighed = weight != COUNT
    for batch in source.batches():
        ids = groups.ids(batch)
        samples.add(ids, batch.samples.weights())
        if weighed:
            weights.add(ids, weight_of.of(batch.samples))
        if stats is not None:
            stats.add(ids, batch.samples)
    values = groups.values()
    counts = samples.result(len(values))
    sums = weights.result(len(values)) if weighed else counts
    found = []
    for value, count, total in zip(values, counts, sums):
        row = rows.get(value)
        if row is None:
            row = rows[value] = Row(value)
        row.samples += count
        row.weight += total
        found.append(row)
    if stats is not None:
        stats.merge([row.stats for row in found])
    return [key.title for key in made]


def _statistics(
    source: Input, wanted: Sequence[Wanted], figures: Sequence[str]
) -> Optional[Statistics]:
    """Returns an object that collects figures, or None if no figures are wanted."""
    if not wanted:
        return None
    from .statistics import Statistics  # slow to import, and rarely needed

    return Statistics(wanted, figures, source.events)


def ordered(rows: Mapping[Values, Row]) -> list[Row]:
    """Returns the rows with samples, sorted by descending weight, then by keys."""
    # Omit rows without samples: keys also have IDs for samples that were not selected.
    return sorted((row for row in rows.values() if row.samples), key=Row.order)


def _order(value: Value) -> tuple[str, str]:
    key = f"{value.key:020}" if isinstance(value.key, int) else value.key
    return key, value.label
