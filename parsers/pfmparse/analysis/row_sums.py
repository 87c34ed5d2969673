# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sums of samples, by the values of keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Sequence

from . import keys
from .groups import Groups, Values
from .inputs import Input
from .keys import Value
from .pmd_stats import PmdStats
from .pmd_stats import Values as PmdValues
from .pmd_stats import Wanted
from .sums import Sums
from .weights import COUNT, Weight


@dataclass
class Row:
    """Samples that have the same values of all keys, and their weight.

    ``pmds`` holds the values of the PMDs that are reported.
    """

    values: Values
    samples: int = 0
    weight: int = 0
    pmds: dict[int, PmdValues] = field(default_factory=dict)

    def order(self) -> tuple[object, ...]:
        """The sort key: descending weight, then the keys."""
        return (-self.weight, *map(_order, self.values))


def add(
    rows: dict[Values, Row],
    source: Input,
    by: Sequence[str],
    weight: str = COUNT,
    wanted: Sequence[Wanted] = (),
) -> list[str]:
    """Adds the samples of an input; returns the titles of the keys ``by``.

    ``weight`` is as in Weight; figures of the ``wanted`` PMDs are collected.
    PfmParseError if the samples lack a column.
    """
    made = [keys.key(name, source) for name in by]
    groups, weight_of = Groups(made), Weight(weight, source.events)
    samples, weights = Sums(), Sums()
    pmds = PmdStats(wanted, source.recording)
    weighed = weight != COUNT
    for batch in source.batches():
        ids = groups.ids(batch)
        samples.add(ids, batch.samples.weights())
        if weighed:
            weights.add(ids, weight_of.of(batch.samples))
        pmds.add(ids, batch.samples)
    values = groups.values()
    counts = samples.result(len(values))
    sums = weights.result(len(values)) if weighed else counts
    found = [rows.setdefault(value, Row(value)) for value in values]
    for row, count, total in zip(found, counts, sums):
        row.samples += count
        row.weight += total
    pmds.merge([row.pmds for row in found])
    return [key.title for key in made]


def ordered(rows: Mapping[Values, Row]) -> list[Row]:
    """The rows with samples, sorted by descending weight, then by their keys."""
    # Keys also number the places of samples that are not selected: drop those rows.
    return sorted((row for row in rows.values() if row.samples), key=Row.order)


def _order(value: Value) -> tuple[str, str]:
    key = f"{value.key:020}" if isinstance(value.key, int) else value.key
    return key, value.label
