# SPDX-License-Identifier: MIT OR GPL-2.0
"""The sides of a flame graph: one profile, or an old and a new one to compare."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import AbstractSet, Optional, Sequence

import numpy as np

from ..analysis.profile import Frame, Profile, Profiler, Thread, by_function
from ..analysis.requests import SIDES
from ..formats.roles import Role
from ..symbols.location import Location
from .flame_layout import LEAST
from .flame_tree import Ids, Tree, Weights
from .interface import OLD, Job
from .unsupported import noted

# Differences in percentage points at which the next darker colour begins.
LIMITS = (0.2, 1.0, 5.0)
# The colours from large decreases to large increases. People with colour blindness can
# distinguish blue from orange. All colours are light enough for black text.
COLOURS: tuple[str, ...] = ("#5aa2e0", "#94c3ec", "#c6def5", "#e2e3e6")
COLOURS += ("#fbdcb2", "#f6b563", "#ec8f26")


@dataclass(frozen=True)
class Sides:
    """A profile of one side, or of an old and a new side.

    The first ``old_rows`` rows of the profile belong to the old side, the other rows to
    the new side. ``old_rows`` is None if there is only one side.
    """

    profile: Profile
    old_rows: Optional[int] = None

    @property
    def names(self) -> Sequence[str]:
        """The name of each side, empty if there is only one."""
        return ("",) if self.old_rows is None else SIDES

    @property
    def of_rows(self) -> Ids:
        """The side of each row."""
        return (np.arange(len(self.profile.rows)) >= self._first).astype(np.intp)

    @property
    def weights(self) -> Weights:
        """The weight of each row."""
        return np.array([row.weight for row in self.profile.rows], np.float64)

    @property
    def _first(self) -> int:
        """The first row that does not belong to the first side."""
        return len(self.profile.rows) if self.old_rows is None else self.old_rows

    def totals(self, tree: Tree) -> list[Weights]:
        """Returns the inclusive weight of each box of the profile's tree, by side."""
        sides, weights = self.of_rows, self.weights
        return [
            tree.totals(weights * (sides == side)) for side in range(len(self.names))
        ]


def sides_of(
    job: Job, carries: AbstractSet[Role] = frozenset(), losses: bool = False
) -> Sides:
    """Returns the profile of a job's inputs.

    Unless the job is a comparison, also notes what the flame graph cannot store.
    """
    if job.comparison is not None:
        return _compared(job, job.comparison.old_inputs)
    profiler = Profiler(job.weight)
    for source in job.inputs:
        profiler.add(source, noted(job, source, carries, losses=losses))
    return Sides(profiler.profile)


def _compared(job: Job, old_inputs: int) -> Sides:
    """Returns the profile of both sides; sums threads with the same name."""
    profiler, rows = Profiler(job.weight, _by_base_name), []
    for inputs in (job.inputs[:old_inputs], job.inputs[old_inputs:]):
        for source in inputs:
            profiler.add(source, job.batches(source))
        rows.append(profiler.take_rows())
    profile = profiler.profile
    threads = [Thread("", None, None, thread.name) for thread in profile.threads]
    return Sides(replace(profile, threads=threads, rows=sum(rows, [])), len(rows[OLD]))


def _by_base_name(location: Location, address: int) -> Sequence[Frame]:
    """Returns the functions at a location; files are without their directories."""
    return [
        replace(frame, object=os.path.basename(frame.object))
        for frame in by_function(location, address)
    ]


def share(weight: float, total: float) -> float:
    """Returns a weight as a percentage of a total; 0 if the total is 0."""
    return 100 * weight / total if total else 0.0


def difference(weights: Sequence[float], totals: Sequence[float]) -> float:
    """Returns the new share minus the old share, in percentage points."""
    old, new = map(share, weights, totals)
    return round(new - old, 2) + 0.0  # not -0.0


def colour_of(points: float) -> str:
    """Returns the colour of a difference."""
    step = sum(limit <= abs(points) for limit in LIMITS)
    return COLOURS[len(LIMITS) + (step if points > 0 else -step)]


def legend() -> list[tuple[str, str]]:
    """Returns each colour with the differences for which it is used."""
    least, *_, most = LIMITS
    pairs = list(zip(LIMITS, LIMITS[1:]))
    texts = [f"-{most:g} points and less"]
    texts += [f"-{high:g} to -{low:g}" for low, high in reversed(pairs)]
    texts += [f"less than {least:g}"]
    texts += [f"+{low:g} to +{high:g}" for low, high in pairs]
    texts += [f"+{most:g} points and more"]
    return list(zip(COLOURS, texts))


def too_narrow(tree: Tree, totals: Sequence[Weights], drawn: int) -> tuple[int, float]:
    """Finds boxes that are too narrow, but would not be with the other side's widths.

    Returns their number, and their share of the other side in percent. ``drawn`` is the
    side whose widths are used.
    """
    shares = [column / (column[0] or 1) for column in totals]
    other = shares[1 - drawn]
    narrow = (shares[drawn] < LEAST) & (other >= LEAST)
    narrow[0] = False
    at = np.flatnonzero(narrow)
    lowest = at[~narrow[tree.parents[at]]]
    return at.size, 100 * float(other[lowest].sum())
