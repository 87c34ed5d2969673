# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sums of samples, by the values of keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Sequence

from . import keys
from .groups import Groups, Values
from .inputs import Input
from .keys import Value
from .requests import Wanted
from .statistics import Statistics
from .statistics import Values as StatValues
from .sums import Sums
from .weights import COUNT, Weight


@dataclass
class Row:
    """Samples that have the same values of all keys, and their weight.

    ``stats`` holds the values of the columns whose figures are reported.
    """

    values: Values
    samples: int = 0
    weight: int = 0
    stats: dict[str, StatValues] = field(default_factory=dict)

    def order(self) -> tuple[object, ...]:
        """The sort key: descending weight, then the keys."""
        return (-self.weight, *map(_order, self.values))


def add(
    rows: dict[Values, Row],
    source: Input,
    by: Sequence[str],
    weight: str = COUNT,
    wanted: Sequence[Wanted] = (),
    figures: Sequence[str] = (),
) -> list[str]:
    """Adds the samples of an input; returns the titles of the keys ``by``.

    ``weight`` is as in Weight; ``wanted`` and ``figures`` are as in Statistics.
    Raises PfmParseError if the samples lack a column.
    """
    made = [keys.key(name, source) for name in by]
    groups, weight_of = Groups(made), Weight(weight, source.events)
    samples, weights = Sums(), Sums()
    stats = Statistics(wanted, figures, source.events)
    weighed = weight != COUNT
    for batch in source.batches():
        ids = groups.ids(batch)
        samples.add(ids, batch.samples.weights())
        if weighed:
            weights.add(ids, weight_of.of(batch.samples))
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
    stats.merge([row.stats for row in found])
    return [key.title for key in made]


def ordered(rows: Mapping[Values, Row]) -> list[Row]:
    """The rows with samples, sorted by descending weight, then by their keys."""
    # Keys also number the places of samples that are not selected: drop those rows.
    return sorted((row for row in rows.values() if row.samples), key=Row.order)


def _order(value: Value) -> tuple[str, str]:
    key = f"{value.key:020}" if isinstance(value.key, int) else value.key
    return key, value.label
