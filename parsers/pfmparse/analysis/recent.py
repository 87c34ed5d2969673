# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sum the most recent samples of a live capture by function."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

import numpy as np

from ..errors import PfmParseError
from ..recording import Batch, Recording
from ..symbols.location import UNKNOWN
from .events import Event
from .inputs import Input, Options
from .interner import Ids
from .names import Names
from .sums import Sums
from .weights import COUNT, Weight, usual

MANY = 1 << 20  # with more addresses, IDs start again from 0, to limit memory
NAMELESS = -1


@dataclass(frozen=True)
class Place:
    """A function, its file, and the name of the thread or process that ran it."""

    function: str
    object: str
    comm: str


@dataclass(frozen=True)
class Step:
    """The time between two updates of the display, and the samples in this time.

    ``counts`` has the weights of the samples by Place; ``lost`` is the number of
    samples that were lost.
    """

    counts: Counter[Place]
    samples: int
    elapsed_ns: int
    lost: int


class Recent:
    """Sums samples as they arrive; keeps the sums of the last few steps."""

    def __init__(
        self,
        recording: Recording,
        options: Options,
        warn: Callable[[str], None],
        window_ns: int,
    ) -> None:
        """Keeps the steps of about the last ``window_ns``."""
        self.samples = 0
        self.lost = 0
        self._weight: Optional[Weight] = None
        self._recording = recording
        self._open: Callable[[], Input] = lambda: Input("", recording, options, warn)
        self._window_ns = window_ns
        self._steps: deque[Step] = deque()
        self._now: Counter[tuple[int, int]] = Counter()
        self._selected = 0  # samples that were selected before IDs restarted from 0
        self._start()

    def _start(self) -> None:
        """Forgets all IDs of addresses and names; the next IDs begin with 0."""
        self._input = self._open()
        self._names = Names(self._recording)

    @property
    def events(self) -> list[Event]:
        """The sampling events."""
        return self._input.events.all[:-1]

    @property
    def weight(self) -> str:
        """The name of the weight that is summed: the samples' default (see usual())."""
        return COUNT if self._weight is None else self._weight.name

    @property
    def cgroups(self) -> Sequence[str]:
        """Patterns of the selected control groups; empty if all groups are selected."""
        return self._input.selection.cgroups

    def take(self) -> None:
        """Adds newly arrived samples to the current step."""
        for batch in self._input.batches():
            if batch.samples.count:
                self._add(batch)

    def end_step(self, elapsed_ns: int, lost: int) -> Step:
        """Ends the current step, which took ``elapsed_ns``, and returns this step.

        ``lost`` is the number of samples that were lost so far, in all steps.
        """
        samples = self._selected + self._input.selected - self.samples
        step = Step(self._resolved(), samples, elapsed_ns, max(0, lost - self.lost))
        self.lost = max(lost, self.lost)
        self.samples += samples
        self._steps.append(step)
        while (
            len(self._steps) > 1
            and self.span_ns() - self._steps[0].elapsed_ns >= self._window_ns
        ):
            self._steps.popleft()
        if len(self._input.places) > MANY:
            self._selected += self._input.selected
            self._start()
        return step

    def forget(self) -> None:
        """Forgets all finished steps."""
        self._steps.clear()

    def span_ns(self) -> int:
        """Returns the time that the kept steps cover."""
        return sum(step.elapsed_ns for step in self._steps)

    def counts(self) -> Counter[Place]:
        """Returns the weights of the samples in the kept steps."""
        return sum((step.counts for step in self._steps), Counter[Place]())

    def _add(self, batch: Batch) -> None:
        samples = batch.samples
        if self._weight is None:
            self._weight = Weight(usual(samples), self._input.events)
        places = self._input.places.own(batch)
        pairs = np.stack([places, self._ids_of_names(batch)])
        distinct, inverse = np.unique(pairs, axis=1, return_inverse=True)
        sums = Sums()
        sums.add(inverse.reshape(-1), self._weight.of(samples))
        found = sums.result(distinct.shape[1])
        for place, name, weight in zip(*distinct.tolist(), found):
            self._now[place, name] += weight

    def _ids_of_names(self, batch: Batch) -> Ids:
        """Returns each sample's name ID, or NAMELESS if the processes are unknown."""
        try:
            return self._names.ids(batch.samples)
        except PfmParseError:
            return np.full(batch.samples.count, NAMELESS, np.intp)

    def _resolved(self) -> Counter[Place]:
        """Returns the weights of the current step by Place, and clears the step."""
        counts: Counter[Place] = Counter()
        locations = self._input.places.locations()
        names = self._names.all()
        for (at, name), count in self._now.items():
            where = locations[at]
            comm = UNKNOWN if name == NAMELESS else names[name]
            place = Place(where.symbol or UNKNOWN, where.object, comm)
            counts[place] += count
        self._now.clear()
        return counts
