# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sums of samples by stack, event and thread, for exports and call reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Iterator, Optional, Sequence, TypeVar

import numpy as np

from ..formats.roles import Role
from ..formats.samples import Samples
from ..recording import Batch
from ..symbols.location import UNKNOWN, Location
from .columns import NOBODY, identities
from .inputs import Input
from .interner import Ids, Interner, U64s
from .names import Names
from .stacks import ROOT
from .sums import Sums
from .weights import Weight

T = TypeVar("T")


@dataclass(frozen=True)
class Frame:
    """A function in a stack, or an address in a function.

    ``address``, ``file`` and ``line`` are None if they are unknown, or if frames are
    distinguished by function only. ``inlined`` is set if the function is inlined into
    its caller.
    """

    function: str
    object: str
    file: Optional[str] = None
    line: Optional[int] = None
    address: Optional[int] = None
    inlined: bool = False


@dataclass(frozen=True)
class Thread:
    """A thread on a host; IDs that are unknown are None."""

    host: str
    process: Optional[int]
    thread: Optional[int]
    name: str


@dataclass
class Row:
    """The sums for one stack, event and thread, which are given as indices.

    If the Profiler has a step, ``moment`` is the time of the samples, in steps.
    """

    node: int
    event: int
    thread: int
    samples: int
    weight: int
    moment: int = 0


@dataclass
class Profile:
    """Sums of samples by stack, event and thread.

    A stack is a node of a tree. ``frames[frame_of[node]]`` is its innermost frame.
    ``parents[node]`` is the stack of this frame's caller, or ROOT. A parent's number is
    less than ``node``.
    """

    events: list[str] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    frame_of: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def stack(self, node: int) -> list[Frame]:
        """Returns the frames of a stack, innermost first."""
        return [self.frames[at] for at in self.numbers(node)]

    def numbers(self, node: int) -> list[int]:
        """Returns the frame indices of a stack, innermost first."""
        found = []
        while node != ROOT:
            found.append(self.frame_of[node])
            node = self.parents[node]
        return found

    def sampled_events(self) -> list[int]:
        """Returns the event indices; omits the unknown event if it has no samples."""
        found = {row.event for row in self.rows}
        all_of_them = enumerate(self.events)
        return [at for at, name in all_of_them if at in found or name != UNKNOWN]

    def total(self) -> int:
        """Returns the number of all samples."""
        return sum(row.samples for row in self.rows)


FramesOf = Callable[[Location, int], Sequence[Frame]]


def by_function(location: Location, _: int) -> Sequence[Frame]:
    """Returns the frame of a location's function, then frames of inlined functions."""
    frames = location.frames()[::-1]
    return [
        Frame(frame.function or UNKNOWN, location.object, inlined=at > 0)
        for at, frame in enumerate(frames)
    ]


def by_place(location: Location, address: int) -> Sequence[Frame]:
    """Returns the frames of a location, with address and, if known, file and line."""
    frames = location.frames()[::-1]
    return [
        Frame(
            frame.function or UNKNOWN,
            location.object,
            frame.file,
            frame.line,
            address,
            at > 0,
        )
        for at, frame in enumerate(frames)
    ]


class Profiler:
    """Makes a profile of several inputs; reads each input once."""

    def __init__(
        self,
        weight: str = "count",
        frames_of: FramesOf = by_function,
        step: Optional[int] = None,
    ) -> None:
        """If ``step`` is given, groups samples also by time: steps of ``step`` ns."""
        self.profile = Profile()
        self._step = step
        self._weight = weight
        self._frames_of = frames_of
        self._frames: dict[Frame, int] = {}
        self._nodes: dict[tuple[int, int], int] = {}
        self._events: dict[str, int] = {}
        self._threads: dict[Thread, int] = {}
        self._rows: dict[tuple[int, int, int, int], Row] = {}

    def add(self, source: Input, batches: Iterator[Batch]) -> None:
        """Adds the samples of an input. Raises PfmParseError if a column is missing."""
        numbers = _Numbers(source, self._step)
        samples, weights = Sums(), Sums()
        weight = Weight(self._weight, source.events)
        for batch in batches:
            ids = numbers.ids(batch)
            samples.add(ids, batch.samples.weights())
            weights.add(ids, weight.of(batch.samples))
        self._merge(source, numbers, samples, weights)

    def take_rows(self) -> list[Row]:
        """Returns the rows of all inputs so far, and removes them from the profile.

        The indices of stacks, events and threads do not change.
        """
        rows, self.profile.rows, self._rows = self.profile.rows, [], {}
        return rows

    def _merge(
        self, source: Input, numbers: _Numbers, samples: Sums, weights: Sums
    ) -> None:
        """Adds an input's sums to the rows with the same stack, event and thread."""
        nodes = self._merged_nodes(source)
        events = [_number(self._events, e.name) for e in source.events.all]
        all_threads = [_number(self._threads, t) for t in numbers.threads()]
        count = len(numbers)
        sums = zip(samples.result(count), weights.result(count))
        for (node, event, thread, moment), (sample, weight) in zip(
            numbers.rows(), sums
        ):
            key = nodes[node], events[event], all_threads[thread], moment
            row = self._rows.setdefault(key, Row(*key[:3], 0, 0, moment))
            row.samples += sample
            row.weight += weight
        done = self.profile
        done.events, done.threads = list(self._events), list(self._threads)
        done.frames, done.rows = list(self._frames), list(self._rows.values())

    def _merged_nodes(self, source: Input) -> list[int]:
        """Returns the profile's node for each stack of the input."""
        addresses = source.places.addresses().tolist()
        found = zip(source.places.locations(), addresses)
        frames = [
            [_number(self._frames, frame) for frame in self._frames_of(*place)]
            for place in found
        ]
        nodes: list[int] = []
        parents, places = source.stacks.parents(), source.stacks.places()
        for parent, place in zip(parents.tolist(), places.tolist()):
            node = ROOT if parent == ROOT else nodes[parent]
            for frame in frames[place]:
                node = self._node(node, frame)
            nodes.append(node)
        return nodes

    def _node(self, parent: int, frame: int) -> int:
        node = self._nodes.setdefault((parent, frame), len(self._nodes))
        if node == len(self.profile.parents):
            self.profile.parents.append(parent)
            self.profile.frame_of.append(frame)
        return node


class _Numbers:
    """Dense IDs for combinations of stack, event, thread and moment."""

    def __init__(self, source: Input, step: Optional[int]) -> None:
        self._source = source
        self._step = step
        self._threads = ThreadIds(source)
        self._who, self._when, self._all = Interner(), Interner(), Interner()

    def __len__(self) -> int:
        return len(self._all)

    def ids(self, batch: Batch) -> Ids:
        """Returns the combination ID of each sample."""
        events = self._source.events.ids(batch.samples).astype(np.uint64)
        threads = self._threads.ids(batch).astype(np.uint64)
        who = self._who.ids(events, threads).astype(np.uint64)
        if self._step is not None:
            moments = self._moments(batch.samples, self._step)
            who = self._when.ids(moments, who).astype(np.uint64)
        return self._all.ids(self._source.stacks.ids(batch).astype(np.uint64), who)

    def _moments(self, samples: Samples, step: int) -> U64s:
        if samples.name_of(Role.TIME) is None:
            return np.zeros(1, np.uint64)
        return samples.role(Role.TIME).astype(np.uint64) // np.uint64(step)

    def rows(self) -> Iterator[tuple[int, int, int, int]]:
        """Yields each ID's combination: its stack, event, thread and moment."""
        events, threads = (part.tolist() for part in self._who.pairs())
        moments, people = (part.tolist() for part in self._when.pairs())
        nodes, who = (part.tolist() for part in self._all.pairs())
        for node, at in zip(nodes, who):
            moment = 0
            if self._step is not None:
                moment, at = moments[at], people[at]
            yield node, events[at], threads[at], moment

    def threads(self) -> list[Thread]:
        """Returns the threads, indexed by ID."""
        return self._threads.all()


class ThreadIds:
    """Dense IDs for the threads of an input's samples."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._pairs = Interner()
        self._names = Names(source.recording)

    def ids(self, batch: Batch) -> Ids:
        """Returns the dense thread ID of each sample, even if its thread is unknown."""
        numbers = identities(batch.samples, self._source.recording)
        return self._pairs.ids(*numbers)

    def all(self) -> list[Thread]:
        """Returns the threads, indexed by ID."""
        pairs = zip(*(part.tolist() for part in self._pairs.pairs()))
        return [self._thread(tgid, tid) for tgid, tid in pairs]

    def _thread(self, tgid: int, tid: int) -> Thread:
        name = self._names.of(tid, tgid)
        return Thread(self._source.host, _known(tgid), _known(tid), name)


def _number(table: dict[T, int], thing: T) -> int:
    """Returns the index of a thing; a new thing gets the next index."""
    return table.setdefault(thing, len(table))


def _known(number: int) -> Optional[int]:
    return None if number == NOBODY else number
