# SPDX-License-Identifier: MIT OR GPL-2.0
"""Figures, such as the mean, of the values of a column in groups of samples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from ..errors import RequestError
from ..formats.roles import Role
from ..formats.samples import Samples
from .columns import check_name
from .events import Events
from .interner import Ids
from .requests import COUNT, HISTOGRAM, MAX, MEAN, MIN, PERCENTILE, SUM, Wanted
from .spread import Bucket, Extremes, Spread, percentile
from .sums import Sums
from .weights import aggregates, product, unsigned, values_of

Number = Union[int, float]


@dataclass
class Values:
    """The values of one column in a group: sum, extremes and distribution."""

    samples: int = 0
    total: int = 0
    least: Optional[int] = None
    greatest: Optional[int] = None
    buckets: Counter[tuple[int, int]] = field(default_factory=Counter)

    def add(self, other: Values) -> None:
        """Adds the values of another group."""
        self.samples += other.samples
        self.total += other.total
        self.least = min(_known(self.least, other.least), default=None)
        self.greatest = max(_known(self.greatest, other.greatest), default=None)
        self.buckets.update(other.buckets)

    def over(self, other: Values) -> Optional[float]:
        """Returns this sum divided by the other one, None if the other one is 0."""
        return self.total / other.total if other.total else None

    def histogram(self) -> list[Bucket]:
        """Returns the samples in each bucket: 0, 1, 2 to 3, 4 to 7, and so on."""
        sums: Counter[int] = Counter()
        for (low, _), count in self.buckets.items():
            sums[low.bit_length()] += count
        return [
            Bucket(1 << bits >> 1, (1 << bits) - 1, sums[bits]) for bits in sorted(sums)
        ]

    def figure(self, stat: str) -> Optional[Number]:
        """Returns the figure ``stat``: a percentile, or one of STATS except "hist".

        Without values, returns 0 for "count", and None for other figures.
        """
        if stat == COUNT:
            return self.samples
        if stat in (MIN, MAX):
            return self.least if stat == MIN else self.greatest
        if not self.samples:
            return None
        if stat == SUM:
            return self.total
        if stat == MEAN:
            return self.total / self.samples
        match = PERCENTILE.fullmatch(stat)
        assert match is not None
        ordered = [Bucket(*ends, self.buckets[ends]) for ends in sorted(self.buckets)]
        return percentile(ordered, float(match[1]))


def _known(*numbers: Optional[int]) -> Iterable[int]:
    return (number for number in numbers if number is not None)


class Statistics:
    """Collects the values of some columns by group."""

    def __init__(
        self, wanted: Sequence[Wanted], stats: Sequence[str], events: Events
    ) -> None:
        """Raises PfmParseError if no sample has a value of a wanted PMD."""
        needed: dict[str, set[str]] = {}
        for item in wanted:
            for name in item.names:
                figures = stats if item.by is None else [SUM]
                needed.setdefault(name, set()).update(figures)
        for name in needed:
            check_name(name, events.recording)
        self._columns = {
            name: _Column(name, figures, events) for name, figures in needed.items()
        }

    def add(self, ids: Ids, samples: Samples) -> None:
        """Adds samples to their groups.

        Raises PfmParseError if a figure is not available.
        """
        for column in self._columns.values():
            if samples.count:
                column.add(ids, samples)

    def merge(self, into: Sequence[dict[str, Values]]) -> None:
        """Adds the collected values to each group's dictionary of columns."""
        for name, column in self._columns.items():
            for values, found in zip(into, column.values(len(into))):
                values.setdefault(name, Values()).add(found)


class _Column:
    """Collects, by group, what is needed to compute the figures of one column."""

    def __init__(self, name: str, stats: set[str], events: Events) -> None:
        self._name = name
        self._stats = stats
        self._events = events
        self._samples, self._sums = Sums(), Sums()
        self._least, self._greatest = Extremes(False), Extremes(True)
        self._spread = Spread()

    def add(self, ids: Ids, samples: Samples) -> None:
        columns = aggregates(samples, self._name)
        if columns:
            self._add_aggregates(ids, samples, columns)
        else:
            self._add_values(ids, samples)

    def _add_values(self, ids: Ids, samples: Samples) -> None:
        """Adds the value of each sample."""
        values, there = values_of(samples, self._name, self._events)
        times = samples.weights()
        if times is not None:
            there = there & (times != 0)
            times = times[there]
        ids, values = ids[there], values[there]
        self._samples.add(ids, times)
        if not self._stats.isdisjoint((SUM, MEAN)):
            whole = values if times is None else product(values, times, self._name)
            self._sums.add(ids, whole)
        if MIN in self._stats:
            self._least.add(ids, values)
        if MAX in self._stats:
            self._greatest.add(ids, values)
        if any(map(_is_of_spread, self._stats)):
            self._spread.add(ids, values, times)

    def _add_aggregates(
        self, ids: Ids, samples: Samples, columns: Mapping[Role, str]
    ) -> None:
        """Adds the sums, minima, maxima and histograms that the format records."""
        self._check(samples, columns)
        self._samples.add(ids, samples.weights())
        collected: dict[Role, Union[Sums, Extremes]] = {
            Role.SUM: self._sums,
            Role.MIN: self._least,
            Role.MAX: self._greatest,
        }
        for role, column in columns.items():
            if role is Role.LOG2:
                self._add_powers(ids, samples, column)
            else:
                collected[role].add(ids, unsigned(samples, column))

    def _add_powers(self, ids: Ids, samples: Samples, name: str) -> None:
        """Adds a histogram; each value counts as the greatest one of its bucket."""
        for bits, column in enumerate(samples.powers(name)):
            counts = unsigned(samples, column)
            there = counts != 0
            if there.any():
                greatest = np.full(counts.size, (1 << bits) - 1, np.uint64)
                self._spread.add(ids[there], greatest[there], counts[there])

    def _check(self, samples: Samples, columns: Mapping[Role, str]) -> None:
        """Raises PfmParseError if a figure cannot be computed from these columns."""
        there = [role.value for role in columns]
        if samples.name_of(Role.WEIGHT) is not None:
            there += [COUNT, MEAN] if Role.SUM in columns else [COUNT]
        for stat in sorted(self._stats.difference(there)):
            if Role.LOG2 in columns and _is_of_spread(stat):
                continue
            only = ", ".join(there)
            raise RequestError(
                f"{stat} of '{self._name}' cannot be computed: "
                f"the format does not record each value, only {only}"
            )

    def values(self, count: int) -> list[Values]:
        """Returns the values of the groups whose IDs are below ``count``."""
        buckets = [
            Counter({(bucket.low, bucket.high): bucket.count for bucket in found})
            for found in self._spread.buckets(count)
        ]
        return list(
            map(
                Values,
                self._samples.result(count),
                self._sums.result(count),
                self._least.result(count),
                self._greatest.result(count),
                buckets,
            )
        )


def _is_of_spread(stat: str) -> bool:
    return stat == HISTOGRAM or PERCENTILE.fullmatch(stat) is not None
