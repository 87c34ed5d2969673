# SPDX-License-Identifier: MIT OR GPL-2.0
"""What a report counts: a tally for each kind of key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable, Mapping, Protocol, Union

import numpy as np

from ..formats import data_source
from ..formats.roles import Role
from ..formats.samples import Column, Samples
from ..recording import Batch, Recording
from .pair_counts import PairCounts

UNKNOWN = "[unknown]"


@dataclass(frozen=True)
class Row:
    """A line of the report; ``extra`` is what JSON has besides the count."""

    key: Union[str, int]
    label: str
    count: int
    extra: Mapping[str, object]


class Tally(Protocol):
    """Counts samples by a key."""

    title: str

    def add(self, batch: Batch) -> None:
        """Counts samples; PfmParseError if they lack the column."""

    def rows(self, recording: Recording) -> Iterable[Row]:
        """The rows, after the recording has been read; their keys differ."""

    def summary(self) -> Mapping[str, object]:
        """Further figures, by name."""


Select = Callable[[Samples], Column]


def of_role(role: Role) -> Select:
    """What gives the column that has a role."""
    return lambda samples: samples.role(role)


class Numbers:
    """Counts by the number in a column."""

    def __init__(self, title: str, select: Select) -> None:
        self.title = title
        self._select = select
        self._counts = PairCounts()
        self._signed = False

    def add(self, batch: Batch) -> None:
        """Counts samples."""
        column = self._select(batch.samples)
        self._signed |= column.dtype.kind == "i"
        self._counts.add(np.zeros_like(column), column, batch.samples.weights())

    def rows(self, recording: Recording) -> Iterable[Row]:
        """One row for each number."""
        return [Row(n, str(n), count, {}) for n, count in self.counted()]

    def summary(self) -> Mapping[str, object]:
        """Nothing."""
        return {}

    def counted(self) -> list[tuple[int, int]]:
        """The distinct numbers, and how many samples have each."""
        _, numbers, counts = self._counts.result()
        numbers_as = numbers.view(np.int64 if self._signed else np.uint64)
        return list(zip(numbers_as.tolist(), counts.tolist()))


class Latencies(Numbers):
    """Counts by latency."""

    def summary(self) -> Mapping[str, object]:
        """The mean of all samples, in cycles."""
        counted = self.counted()
        samples = sum(count for _, count in counted)
        cycles = sum(latency * count for latency, count in counted)
        return {"mean_latency": cycles / samples} if samples else {}


class Names(Numbers):
    """Counts by the name of the number in a column."""

    def __init__(self, title: str, select: Select, name: Callable[[int], str]) -> None:
        super().__init__(title, select)
        self._name = name

    def rows(self, recording: Recording) -> Iterable[Row]:
        """One row for each name."""
        sums: dict[str, int] = {}
        for number, count in self.counted():
            name = self._name(number)
            sums[name] = sums.get(name, 0) + count
        return [Row(name, name, count, {}) for name, count in sums.items()]


class Events(Numbers):
    """Counts by the number that the session gave to an event."""

    def rows(self, recording: Recording) -> Iterable[Row]:
        """One row for each number, with the names of its events."""
        names: dict[int, list[str]] = {}
        for event_set in recording.session.sets:
            for pmd in event_set.pmds:
                if pmd.sampling:
                    names.setdefault(pmd.eventid, []).append(pmd.event)
        for number, count in self.counted():
            name = " or ".join(dict.fromkeys(names.get(number, []))) or None
            extra = {"event": name}
            yield Row(number, f"{number} {name or UNKNOWN}", count, extra)


class Pmds:
    """Counts by the PMD whose overflow recorded the sample."""

    title = "pmd"

    def __init__(self) -> None:
        self._counts = PairCounts()

    def add(self, batch: Batch) -> None:
        """Counts samples."""
        samples = batch.samples
        sets, pmds = samples.role(Role.SET), samples.role(Role.PMD)
        self._counts.add(sets, pmds, samples.weights())

    def rows(self, recording: Recording) -> Iterable[Row]:
        """One row for each PMD of each set, and one for those that are unknown."""
        events = {
            (s.id, pmd.num): pmd.event for s in recording.session.sets for pmd in s.pmds
        }
        sets, pmds, counts = (column.tolist() for column in self._counts.result())
        for event_set, pmd, count in zip(sets, pmds, counts):
            event = events.get((event_set, pmd))
            if event is None:
                yield Row(UNKNOWN, UNKNOWN, count, {"set": None, "event": None})
                continue
            label = f"{pmd} {event} (set {event_set})"
            yield Row(pmd, label, count, {"set": event_set, "event": event})

    def summary(self) -> Mapping[str, object]:
        """Nothing."""
        return {}


def _level(kernel: int) -> str:
    return "kernel" if kernel else "user"


TALLIES: dict[str, Callable[[], Tally]] = {
    "tid": lambda: Numbers("tid", of_role(Role.THREAD)),
    "pmd": Pmds,
    "event": lambda: Events("event", of_role(Role.EVENT)),
    "kernel": lambda: Names("kernel or user", of_role(Role.KERNEL), _level),
    "latency": lambda: Latencies("latency in cycles", of_role(Role.LATENCY)),
    "data-source": lambda: Names(
        "data source", of_role(Role.DATA_SOURCE), data_source.name_of
    ),
}
ROLES = {role.value: role for role in Role}


def tally_by(key: str) -> Tally:
    """What counts by one of the keys above, by any other role, or by a column."""
    if key in TALLIES:
        return TALLIES[key]()
    if key in ROLES:
        return Numbers(key, of_role(ROLES[key]))
    return Numbers(key, lambda samples: samples.column(key))
