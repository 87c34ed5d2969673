# SPDX-License-Identifier: MIT OR GPL-2.0
"""Figures of the recorded PMD values of a group of samples."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Mapping, Optional, Sequence, Union

from ..formats.samples import Samples
from ..recording import Recording
from .columns import check_name
from .interner import Ids
from .spread import Bucket, Spread, percentile

STATS = ("sum", "mean", "max", "hist")
PERCENTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]{1,3})?)")
WANTED = re.compile(r"([0-9]{1,3})(?:/([0-9]{1,3}))?")

Number = Union[int, float]


@dataclass(frozen=True)
class Wanted:
    """A PMD whose values are shown, or, with ``by``, a ratio of two PMDs' sums."""

    pmd: int
    by: Optional[int] = None

    def __str__(self) -> str:
        return f"pmd{self.pmd}" if self.by is None else f"pmd{self.pmd}/pmd{self.by}"

    def pmds(self) -> list[int]:
        """The PMDs whose values are needed."""
        return [self.pmd] if self.by is None else [self.pmd, self.by]


def parse_wanted(text: str) -> Wanted:
    """Parses a PMD "3" or a ratio "3/4"; ValueError if it is neither."""
    match = WANTED.fullmatch(text)
    if match is None:
        raise ValueError(f"must be a PMD (as 3) or a ratio (as 3/4), not {text!r}")
    return Wanted(int(match[1]), int(match[2]) if match[2] else None)


def check_stat(text: str) -> str:
    """Returns the name of a figure; ValueError if there is no such figure."""
    if text not in STATS and not PERCENTILE.fullmatch(text):
        raise ValueError(
            f"unknown figure {text!r}: use {', '.join(STATS)} or a percentile, e.g. p99"
        )
    return text


@dataclass
class Values:
    """The values of one PMD in a group: their sum and their distribution."""

    total: int = 0
    buckets: Counter[tuple[int, int]] = field(default_factory=Counter)

    def merge(self, total: int, buckets: Sequence[Bucket]) -> None:
        """Adds the values of another group."""
        self.total += total
        for bucket in buckets:
            self.buckets[bucket.low, bucket.high] += bucket.count

    @property
    def samples(self) -> int:
        """The number of samples that have a value."""
        return sum(self.buckets.values())

    def histogram(self) -> list[Bucket]:
        """The number of samples in buckets whose limits are powers of two."""
        sums: Counter[int] = Counter()
        for (low, _), count in self.buckets.items():
            sums[low.bit_length()] += count
        return [
            Bucket(1 << bits >> 1, (1 << bits) - 1, sums[bits]) for bits in sorted(sums)
        ]

    def figure(self, stat: str) -> Optional[Number]:
        """A figure other than "hist"; None if there are no values."""
        if not self.buckets:
            return None
        if stat == "sum":
            return self.total
        if stat == "mean":
            return self.total / self.samples
        ordered = [Bucket(*ends, self.buckets[ends]) for ends in sorted(self.buckets)]
        match = PERCENTILE.fullmatch(stat)
        return percentile(ordered, float(match[1]) if match else 100.0)


class PmdStats:
    """Collects the values of some PMDs by group."""

    def __init__(self, wanted: Sequence[Wanted], recording: Recording) -> None:
        """PfmParseError if no sample of the recording has values of a wanted PMD."""
        pmds = dict.fromkeys(pmd for item in wanted for pmd in item.pmds())
        for pmd in pmds:
            check_name(f"pmd{pmd}", recording)
        self._spreads = {pmd: Spread() for pmd in pmds}

    def add(self, ids: Ids, samples: Samples) -> None:
        """Adds samples to their groups."""
        for pmd, spread in self._spreads.items():
            values, there = samples.pmd_values(pmd)
            spread.add(ids[there], values[there])

    def merge(self, into: Sequence[dict[int, Values]]) -> None:
        """Adds the collected values to each group, by PMD."""
        for pmd, spread in self._spreads.items():
            sums, buckets = spread.sums(len(into)), spread.buckets(len(into))
            for values, total, found in zip(into, sums, buckets):
                values.setdefault(pmd, Values()).merge(total, found)


def ratio(values: Mapping[int, Values], pmd: int, by: int) -> Optional[float]:
    """The ratio of two PMDs' sums; None if the divisor is 0."""
    below = values[by].total
    return values[pmd].total / below if below else None
