# SPDX-License-Identifier: MIT OR GPL-2.0
"""The selection of samples for a view."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional, Sequence

import numpy as np

from ..capture.session import Session
from ..formats.roles import Role
from ..formats.samples import Column
from ..layout import NDArray
from ..recording import Batch, Recording
from ..symbols.location import Detail, Location
from .columns import in_kernel, processes, threads
from .events import Events
from .places import Places
from .requests import CONDITIONS, Window

if TYPE_CHECKING:
    from .names import Names

ROOT = "/"  # the root control group: matches all samples, even those of unknown groups

Mask = NDArray[np.bool_]
Test = Callable[[Batch], Mask]
Select = Callable[[Batch], Batch]


@dataclass(frozen=True)
class Selection:
    """The conditions that a sample must meet; None or empty means no condition.

    ``events`` are names. ``comms``, ``cgroups`` and ``objects`` are patterns with * and
    ?. ``symbols`` are regular expressions. ``kernel`` is true for samples in the
    kernel, false for samples in user space. ``time`` is relative to the first sample.
    """

    events: Sequence[str] = ()
    pids: Sequence[int] = ()
    tids: Sequence[int] = ()
    comms: Sequence[str] = ()
    cpus: Sequence[int] = ()
    sets: Sequence[int] = ()
    objects: Sequence[str] = ()
    symbols: Sequence[re.Pattern[str]] = ()
    kernel: Optional[bool] = None
    time: Optional[Window] = None
    cgroups: Sequence[str] = ()
    containers: Sequence[str] = ()

    def asked_of(self, session: Session) -> Selection:
        """Returns this selection for a session.

        If it selects neither control groups nor containers, adds the control groups
        that the session requests.
        """
        return self if self.groups else replace(self, cgroups=session.cgroups)

    @property
    def groups(self) -> bool:
        """True if samples are selected by control group or container."""
        return bool(self.cgroups or self.containers)

    @property
    def detail(self) -> Detail:
        """The detail about locations that the selection needs."""
        return Detail.SYMBOL if self.symbols else Detail.OBJECT

    def of(self, recording: Recording, events: Events, places: Places) -> Select:
        """Returns a function that selects samples.

        Raises PfmParseError if no sample can match.
        """
        tests = list(self._tests(recording, events, places))
        if not tests:
            return lambda batch: batch
        from .subset import subset  # only needed by selections

        def select(batch: Batch) -> Batch:
            for test in tests:
                if batch.samples.count:
                    batch = replace(batch, samples=subset(batch.samples, test(batch)))
            return batch

        return select

    def _tests(
        self, recording: Recording, events: Events, places: Places
    ) -> Iterable[Test]:
        """Yields the tests, the cheapest ones first.

        Each test gets only the samples that passed the earlier ones.
        """
        if self.kernel is not None:
            kernel = self.kernel
            yield lambda batch: _is(in_kernel(batch.samples), kernel)
        if self.events:
            wanted = np.concatenate([events.named(name) for name in self.events])
            yield lambda batch: _among(events.ids(batch.samples), wanted)
        if self.pids:
            yield lambda b: _among(processes(b.samples, recording), self.pids)
        if self.tids:
            yield lambda b: _among(threads(b.samples, recording), self.tids)
        if self.cpus:
            yield lambda b: _among(b.samples.role(Role.CPU), self.cpus)
        if self.sets:
            yield lambda b: _among(b.samples.role(Role.SET), self.sets)
        if self.time is not None:
            window = self.time.after(first_time(recording))
            yield lambda b: _within(b.samples.role(Role.TIME), window)
        if self.comms:
            from .names import Names  # few selections are by name

            names = Names(recording)
            yield lambda b: _matching(names, names.ids(b.samples), self.comms)
        if self.groups and not _matches(ROOT, self.cgroups):
            yield lambda b: self._grouped(processes(b.samples, recording), recording)
        if self.objects or self.symbols:
            yield lambda batch: self._located(places, batch)

    def _grouped(self, tgids: Column, recording: Recording) -> Mask:
        """Returns a mask of the processes in or below a wanted control group."""
        distinct, inverse = np.unique(tgids, return_inverse=True)
        known = recording.source.threads
        paths = [known.cgroup(tgid) for tgid in distinct.tolist()]
        good = [path is not None and self._is_group(path) for path in paths]
        mask: Mask = np.array(good, np.bool_)[inverse]
        return mask

    def _is_group(self, path: str) -> bool:
        parts = path.split("/")
        above = ["/".join(parts[:end]) or ROOT for end in range(1, len(parts) + 1)]
        return any(_matches(name, self.cgroups) for name in above) or any(
            re.fullmatch(rf"(.*[-:])?{re.escape(id)}[0-9a-f]*(\.scope)?", part)
            for part in parts
            for id in self.containers
        )

    def _located(self, places: Places, batch: Batch) -> Mask:
        ids = places.own(batch)
        distinct, inverse = np.unique(ids, return_inverse=True)
        locations = places.locations()
        good = [self._is_wanted(locations[at]) for at in distinct.tolist()]
        mask: Mask = np.array(good, np.bool_)[inverse]
        return mask

    def _is_wanted(self, location: Location) -> bool:
        name = location.symbol or ""
        if self.symbols and not any(symbol.search(name) for symbol in self.symbols):
            return False
        names = (location.object, os.path.basename(location.object))
        return not self.objects or any(_matches(name, self.objects) for name in names)


def selected(
    values: Mapping[str, Sequence[Any]],
    kernel: Optional[bool],
    time: Optional[Window],
) -> Selection:
    """Returns a selection; the keys of ``values`` are those of CONDITIONS."""
    fields = {CONDITIONS[name].field: found for name, found in values.items()}
    return Selection(kernel=kernel, time=time, **fields)


def first_time(recording: Recording) -> int:
    """Returns the time of the first sample, in ns of the samples' clock.

    Returns 0 if there are no samples. Reads the whole recording, because buffers are
    not in chronological order.
    """
    first: Optional[int] = None
    for batch in recording.reopened().batches():
        if batch.samples.count:
            least = int(batch.samples.role(Role.TIME).min())
            first = least if first is None else min(first, least)
    return first or 0


def _within(times: Column, window: Window) -> Mask:
    """Returns a mask of the times that are in the window."""
    # A time that does not fit into 64 bits is later than all samples.
    if window.start >> 64:
        return np.zeros(times.size, np.bool_)
    inside: Mask = times >= np.uint64(window.start)
    if window.end is not None and not window.end >> 64:
        inside &= times < np.uint64(window.end)
    return inside


def _among(column: Column, wanted: Iterable[int]) -> Mask:
    """Returns a mask of the elements that are in ``wanted``."""
    if column.dtype.kind == "b":
        column = column.astype(np.uint8)
    # Leave out numbers that do not fit into the column's type.
    there = np.iinfo(column.dtype)
    possible = [number for number in wanted if there.min <= number <= there.max]
    return np.isin(column, np.array(possible, column.dtype))


def _is(mask: Mask, wanted: bool) -> Mask:
    return mask if wanted else ~mask


def _matches(name: str, patterns: Sequence[str]) -> bool:
    """Tells whether a name matches a pattern, in which only * and ? are wildcards."""
    return any(fnmatchcase(name, one.replace("[", "[[]")) for one in patterns)


def _matching(names: Names, ids: NDArray[np.intp], patterns: Sequence[str]) -> Mask:
    """Returns a mask of the elements whose name matches a pattern."""
    good = [_matches(name, patterns) for name in names.all()]
    mask: Mask = np.array(good, np.bool_)[ids]
    return mask
