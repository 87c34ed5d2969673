# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sums of samples by stack, event, thread and step of time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Iterable, Mapping, NamedTuple, Optional, Sequence, TypeVar

import numpy as np

from ..analysis.inputs import Input
from ..analysis.interner import Ids, Interner, U64s
from ..analysis.labels import label
from ..analysis.profile import Thread, ThreadIds, by_function
from ..analysis.selection import Selection, first_time
from ..analysis.stacks import ROOT
from ..analysis.step_sums import MAX_WHOLE_STEPS, StepSums, time_off
from ..analysis.weights import Weight
from ..exports.flame_layout import colours_of
from ..exports.flame_tree import ALL, Label, Tree, sorted_tree
from ..formats.roles import Role
from ..formats.samples import Samples
from ..layout import NDArray
from ..symbols.location import UNKNOWN
from .words import Words

STEPS = 1000  # maximum number of steps in the longest capture

T = TypeVar("T")
I32s = NDArray[np.int32]


@dataclass(frozen=True)
class Process:
    """A process of a capture; ``number`` is its ID, None if it is unknown.

    ``capture`` is the index of the capture. It is needed because a process of another
    capture may have the same ID.
    """

    host: str
    number: Optional[int]
    name: str
    capture: int = 0


@dataclass(frozen=True)
class Clock:
    """Steps of time: step n begins n * ``step`` ns after a capture's first sample.

    For each capture, ``first`` has the time of its first sample, None if samples have
    no times. ``steps`` is the number of steps, 0 if no capture has times.
    """

    step: int
    steps: int
    first: Sequence[Optional[int]]


@dataclass(frozen=True)
class Cells:
    """Sums of samples. A cell is a combination of stack, event, thread and step.

    ``tree`` has the functions of all stacks, without boxes for events or threads; its
    ``tops`` are the cells' stacks. ``process_of`` is the process of each thread.
    ``files`` are the names of the captures.
    """

    tree: Tree
    event: Ids
    thread: Ids
    step: Ids
    sums: Words
    events: Sequence[str]
    threads: Sequence[Thread]
    processes: Sequence[Process]
    process_of: Ids
    clock: Clock
    files: Sequence[str]

    def totals(self, which: Ids) -> Words:
        """Returns the inclusive sum of each box of the tree, for some cells."""
        return self.sums.some(which).map(lambda part: self.tree.totals(part, which))

    @cached_property
    def captures(self) -> Sequence[int]:
        """The index of each thread's capture."""
        return [self.processes[at].capture for at in self.process_of.tolist()]

    @cached_property
    def function(self) -> Ids:
        """The function of each cell: the innermost label that is not inlined."""
        functions: Ids = self.tree.label_of[self.tree.outermost(self.tree.tops)]
        return functions

    @cached_property
    def lowest(self) -> NDArray[np.bool_]:
        """The result of Tree.lowest_of_label()."""
        return self.tree.lowest_of_label()

    @cached_property
    def colours(self) -> Mapping[str, str]:
        """The colour of each object."""
        return colours_of(label.object for label in self.tree.labels)


def read(inputs: Sequence[Input], weight: str) -> Cells:
    """Reads the captures; raises PfmParseError if their samples lack a column."""
    reader = _Reader(weight)
    for source in inputs:
        reader.add(source)
    return reader.cells()


class _Part(NamedTuple):
    """The samples of a batch; ``people`` has IDs of pairs of event and thread.

    ``off`` are the times off CPU that the weights include.
    """

    stacks: I32s
    people: I32s
    times: Optional[U64s]
    weights: Optional[U64s]
    off: Optional[U64s]


@dataclass(frozen=True)
class _Capture:
    """An input's samples.

    The IDs in the ``parts`` are the input's own. ``boxes`` maps the IDs of stacks to
    boxes. ``people`` maps the IDs of pairs of event and thread to IDs that are common
    to all inputs. ``span`` has the times of the first sample and of the end of the last
    one, or is None if samples have no times.
    """

    parts: Sequence[_Part]
    boxes: Ids
    people: Ids
    span: Optional[tuple[int, int]]


class _Reader:
    """Makes cells.

    The functions at an address and the length of a step are not known before all inputs
    have been read. Until then, all samples are kept. Each takes up to 16 bytes, 24 if
    it has a weight, or 32 if this includes time off CPU.
    """

    def __init__(self, weight: str) -> None:
        self._weight = weight
        self._captures: list[_Capture] = []
        self._forest = _Forest()
        self._events: dict[str, int] = {}
        self._files: list[str] = []
        self._threads: dict[tuple[int, Thread], int] = {}  # by capture
        self._processes: dict[Process, int] = {}
        self._process_of: dict[int, int] = {}
        self._people = Interner()  # pairs of event and thread

    def add(self, source: Input) -> None:
        """Adds the samples of an input."""
        threads, people = ThreadIds(source), Interner()
        weight = Weight(self._weight, source.events)
        parts = []
        for batch in source.batches():
            events = source.events.ids(batch.samples)
            parts.append(
                _Part(
                    source.stacks.ids(batch).astype(np.int32),
                    people.ids(events, threads.ids(batch)).astype(np.int32),
                    _times(batch.samples),
                    _weights(weight, batch.samples),
                    time_off(batch.samples, self._weight),
                )
            )
        span = _span(source, parts)
        boxes, mine = self._forest.add(source), self._mine(source, threads, people)
        self._captures.append(_Capture(parts, boxes, mine, span))
        self._files.append(source.file)

    def cells(self) -> Cells:
        """Returns the cells of all inputs."""
        clock = _clock(self._captures)
        rows, sums = Interner(), StepSums(clock.step)
        for capture, first in zip(self._captures, clock.first):
            for part in capture.parts:
                stacks, people = capture.boxes[part.stacks], capture.people[part.people]
                times = _since(first, part)
                sums.add(rows.ids(people, stacks), times, part.weights, part.off)
        at, step, *words = sums.result()
        people, boxes = (part[at] for part in _signed(rows))
        event, thread = (part[people] for part in _signed(self._people))
        return Cells(
            self._forest.tree(boxes),
            event,
            thread,
            step.astype(np.intp),
            Words.of(*words),
            list(self._events),
            [thread for _, thread in self._threads],
            list(self._processes),
            np.array([self._process_of[at] for at in range(len(self._threads))], int),
            clock,
            self._files,
        )

    def _mine(self, source: Input, threads: ThreadIds, people: Interner) -> Ids:
        """Maps the input's IDs of pairs of event and thread to those of all inputs."""
        events = [_number(self._events, event.name) for event in source.events.all]
        of_input = np.array([self._thread(source, one) for one in threads.all()], int)
        event, thread = _signed(people)
        return self._people.ids(np.array(events, np.intp)[event], of_input[thread])

    def _thread(self, source: Input, thread: Thread) -> int:
        capture = len(self._captures)
        number = _number(self._threads, (capture, thread))
        names = source.recording.source.threads
        name = None if thread.process is None else names.name(thread.process)
        process = Process(thread.host, thread.process, name or UNKNOWN, capture)
        self._process_of[number] = _number(self._processes, process)
        return number


def _times(samples: Samples) -> Optional[U64s]:
    if samples.name_of(Role.TIME) is None:
        return None
    return samples.role(Role.TIME).astype(np.uint64)


def _weights(weight: Weight, samples: Samples) -> Optional[U64s]:
    weights = weight.of(samples)
    return None if weights is None else weights.astype(np.uint64)


def _span(source: Input, parts: Sequence[_Part]) -> Optional[tuple[int, int]]:
    """Returns the times of the first sample and of the end of the last selected one.

    The first sample counts even if it is not selected.
    """
    there = [(p.times, p.off) for p in parts if p.times is not None and p.times.size]
    if not there:
        return None
    ends = (times if off is None else times + off for times, off in there)
    last = max(int(part.max()) for part in ends)
    if source.selection != Selection():
        return first_time(source.recording), last
    return min(int(times.min()) for times, _ in there), last


def _clock(captures: Sequence[_Capture]) -> Clock:
    """Returns the steps of time for captures."""
    spans = [capture.span for capture in captures]
    parts = [part for capture in captures for part in capture.parts]
    off = sum(part.off.sum(dtype=float) for part in parts if part.off is not None)
    lengths = [last - first for span in spans if span for first, last in [span]]
    step = _step(max(lengths, default=0), off)
    steps = max(lengths) // step + 1 if lengths else 0
    return Clock(step, steps, [span[0] if span else None for span in spans])


def _step(length: int, off: float) -> int:
    """Returns the shortest step that divides a length into at most STEPS steps.

    It also divides ``off``, the sum of all times off CPU, into at most MAX_WHOLE_STEPS
    steps, which limits the number of cells. It is 1, 2 or 5 times a power of ten.
    """
    unit = 1
    while True:
        for factor in (1, 2, 5):
            step = factor * unit
            if length // step < STEPS and off // step <= MAX_WHOLE_STEPS:
                return step
        unit *= 10


def _since(first: Optional[int], part: _Part) -> U64s:
    """Returns the time of each sample since ``first``; 0 if there are no times."""
    if part.times is None or first is None:
        return np.zeros(part.stacks.size, np.uint64)
    return part.times - np.uint64(first)


class _Forest:
    """The boxes of the functions of all inputs, above one lowest box."""

    def __init__(self) -> None:
        self._labels = {Label(ALL): 0}
        self._boxes: dict[tuple[int, int], int] = {}
        self._parents, self._label_of, self._depths = [ROOT], [0], [0]

    def add(self, source: Input) -> Ids:
        """Adds the stacks of an input; returns the box of each stack."""
        places = source.places
        labels = [
            [
                _number(self._labels, Label(label(frame), frame.object, frame.inlined))
                for frame in by_function(*place)
            ]
            for place in zip(places.locations(), places.addresses().tolist())
        ]
        boxes: list[int] = []
        parents, of = source.stacks.parents(), source.stacks.places()
        for parent, place in zip(parents.tolist(), of.tolist()):
            box = 0 if parent == ROOT else boxes[parent]
            for number in labels[place]:
                box = self._box(box, number)
            boxes.append(box)
        return np.array(boxes, np.intp)

    def tree(self, tops: Ids) -> Tree:
        """Returns the tree of all boxes."""
        return sorted_tree(
            list(self._labels),
            np.array(self._label_of, np.intp),
            np.array(self._parents, np.intp),
            np.array(self._depths, np.intp),
            tops,
        )

    def _box(self, below: int, number: int) -> int:
        box = self._boxes.setdefault((below, number), len(self._parents))
        if box == len(self._parents):
            self._parents.append(below)
            self._label_of.append(number)
            self._depths.append(self._depths[below] + 1)
        return box


def _signed(pairs: Interner) -> Iterable[Ids]:
    return (part.astype(np.intp) for part in pairs.pairs())


def _number(table: dict[T, int], thing: T) -> int:
    return table.setdefault(thing, len(table))
