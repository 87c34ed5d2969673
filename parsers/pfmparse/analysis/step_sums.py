# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sum weights by ID and step of time."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ..errors import RequestError
from ..formats.roles import Role
from ..formats.samples import Samples
from ..formats.thread_state import OFF, WALL
from ..layout import NDArray
from .interner import Ids, Interner, U64s
from .sums import Sums

# Limits the memory for the steps of all IDs that are wholly off CPU.
MAX_WHOLE_STEPS = 1 << 22
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)  # bits and mask of half a word


class StepSums:
    """Sums of weights by ID and step.

    The time off CPU of a sample is divided among the steps that it covers. If a sample
    covers several steps, the weights of its first and last step are added at once; the
    whole steps in between are counted, from the step in which they begin to the step in
    which they end.
    """

    def __init__(self, step: int) -> None:
        self._step = np.uint64(step)
        self._pairs = Interner()  # IDs, and steps since time 0
        self._weights, self._begun, self._ended = Sums(), Sums(), Sums()

    def add(
        self,
        ids: Ids,
        times: U64s,
        weights: Optional[NDArray[np.integer[Any]]],
        off: Optional[U64s],
    ) -> None:
        """Adds samples; ``off`` are the times that time_off() returns."""
        first = times // self._step
        if weights is None or off is None:
            self._weights.add(self._pairs.ids(ids, first), weights)
            return
        here: U64s = np.minimum(off, self._step - times % self._step)
        self._weights.add(
            self._pairs.ids(ids, first), weights.astype(np.uint64) - off + here
        )
        (more,) = np.nonzero(here < off)
        self._add_later(ids[more], first[more], (off - here)[more])

    def _add_later(self, ids: Ids, first: U64s, off: U64s) -> None:
        """Adds the time off CPU in the steps after ``first``."""
        whole = (off - np.uint64(1)) // self._step
        last = first + whole + np.uint64(1)
        self._weights.add(self._pairs.ids(ids, last), off - whole * self._step)
        self._begun.add(self._pairs.ids(ids, first + np.uint64(1)))
        self._ended.add(self._pairs.ids(ids, last))

    def span(self) -> Optional[tuple[int, int]]:
        """Returns the first and the last step, or None if there are no samples."""
        _, steps = self._pairs.pairs()
        return (int(steps.min()), int(steps.max())) if steps.size else None

    def result(self) -> tuple[Ids, U64s, U64s, U64s]:
        """Returns IDs, steps and sums; the sums are divided as by Sums.words().

        Raises RequestError if these are too many.
        """
        parts = self._weights, self._begun, self._ended
        words = [part.words(len(self._pairs)) for part in parts]
        (high, low), (_, begun), (_, ended) = words
        numbers, steps = self._pairs.pairs()
        ids = numbers.astype(np.intp)
        if not begun.any():
            return ids, steps, high, low
        order = np.lexsort((steps, ids))
        # The number of samples that are off CPU from each step to the ID's next one.
        whole = np.cumsum(begun[order] - ended[order])
        (at,) = np.nonzero(whole)
        lengths = np.ones(whole.size, np.intp)
        lengths[at] = _limited(steps[order[at + 1]] - steps[order[at]])
        starts = np.cumsum(lengths) - lengths
        row = np.repeat(np.arange(whole.size), lengths)
        after = (np.arange(row.size) - starts[row]).astype(np.uint64)
        above = whole[row] * (self._step >> HALF)
        below = whole[row] * (self._step & LOW)
        above[starts] += high[order]
        below[starts] += low[order]
        return ids[order][row], steps[order][row] + after, above, below


def time_off(samples: Samples, weight: str) -> Optional[U64s]:
    """Returns the times off CPU that a weight includes, None if it includes none.

    Returns None also if the samples have no times.
    """
    there = samples.name_of(Role.TIME) and OFF in samples.aggregates(Role.SUM)
    if weight not in (OFF, WALL) or not there:
        return None
    return samples.column(OFF).astype(np.uint64)


def _limited(lengths: U64s) -> U64s:
    """Raises RequestError if the sum of the lengths is too great."""
    if lengths.sum(dtype=np.float64) > MAX_WHOLE_STEPS:
        raise RequestError(
            f"the times off CPU cover more than {MAX_WHOLE_STEPS} steps: "
            "use a longer --step or a shorter --time"
        )
    return lengths
