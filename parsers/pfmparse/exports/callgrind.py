# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to callgrind's format, for callgrind_annotate and KCachegrind."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple, Optional, Sequence, TextIO

from ..analysis.calls import walk
from ..analysis.labels import label, plain
from ..analysis.profile import Frame, Profile, Profiler, by_place
from ..analysis.stacks import ROOT
from ..symbols.location import UNKNOWN, Detail, Location
from ..text import ESCAPED
from .interface import Export, Job
from .unsupported import noted

UNKNOWN_FILE = "???"  # as in callgrind itself

Costs = list[int]  # one per event


class Function(NamedTuple):
    """A function with its object and source file."""

    object: str
    file: str
    name: str


@dataclass
class Spent:
    """The costs of a function by line: its own costs, and the costs of its calls."""

    own: dict[int, Costs] = field(default_factory=dict)
    calls: dict[tuple[int, Function], Costs] = field(default_factory=dict)


def write(job: Job) -> None:
    """Writes the samples of all inputs."""
    profiler = Profiler(job.weight, _frames)
    for source in job.inputs:
        profiler.add(source, noted(job, source))
    profile = profiler.profile
    commands = [source.recording.session.command for source in job.inputs]
    with job.path.open("w", encoding="utf-8", errors=ESCAPED) as out:
        _Writer(profile, out).write(commands[0])


def _frames(location: Location, _: int) -> list[Frame]:
    """Returns the functions at a location, with file and line."""
    return [
        Frame(frame.function, frame.object, frame.file, frame.line)
        for frame in by_place(location, 0)
    ]


class _Writer:
    """Writes one profile."""

    def __init__(self, profile: Profile, out: TextIO) -> None:
        self._profile = profile
        self._out = out
        self._events = profile.sampled_events()
        # The IDs of the names that were written so far, by kind of name.
        self._names: dict[str, dict[str, int]] = {}

    def write(self, command: Optional[tuple[str, ...]]) -> None:
        """Writes the whole file."""
        spent = self._spent()
        self._out.write("# callgrind format\nversion: 1\ncreator: pfmparse\n")
        if command:
            self._out.write(f"cmd: {plain(' '.join(command))}\n")
        names = (_word(self._profile.events[at]) for at in self._events)
        self._out.write(f"positions: line\nevents: {' '.join(names)}\n")
        for function, costs in spent.items():
            self._write_function(function, costs)
        totals = [self._zero()]
        totals += (cost for costs in spent.values() for cost in costs.own.values())
        sums = (str(sum(column)) for column in zip(*totals))
        self._out.write(f"\ntotals: {' '.join(sums)}\n")

    def _write_function(self, function: Function, spent: Spent) -> None:
        self._out.write("\n")
        self._write_position("", function)
        for line, costs in sorted(spent.own.items()):
            self._write_costs(line, costs)
        for (line, callee), costs in spent.calls.items():
            self._write_position("c", callee)
            # The number of calls is unknown. If it were 0, viewers would count the cost
            # as the caller's own.
            self._out.write("calls=1 0\n")
            self._write_costs(line, costs)

    def _write_position(self, prefix: str, function: Function) -> None:
        file = "cfi" if prefix else "fl"
        self._out.write(
            f"{prefix}ob={self._name('ob', function.object)}\n"
            f"{file}={self._name('fl', function.file)}\n"
            f"{prefix}fn={self._name('fn', function.name)}\n"
        )

    def _write_costs(self, line: int, costs: Costs) -> None:
        self._out.write(f"{line} {' '.join(map(str, costs))}\n")

    def _name(self, kind: str, name: str) -> str:
        """Returns the ID of a name, followed by the name if it is new."""
        known = self._names.setdefault(kind, {})
        if name in known:
            return f"({known[name]})"
        known[name] = len(known) + 1
        return f"({known[name]}) {plain(name)}"

    def _zero(self) -> Costs:
        return [0] * len(self._events)

    def _spent(self) -> dict[Function, Spent]:
        """Returns the costs of functions, in the order in which they were found."""
        profile = self._profile
        functions = [_function(frame) for frame in profile.frames]
        found: dict[Function, Spent] = {name: Spent() for name in functions}
        # The loop goes from the innermost functions outwards: callers have smaller node
        # IDs.
        own, sums = self._own(), [self._zero() for _ in profile.parents]
        for node in range(len(profile.parents) - 1, -1, -1):
            frame, parent = profile.frame_of[node], profile.parents[node]
            if any(own[node]):
                by_line = found[functions[frame]].own
                line = profile.frames[frame].line or 0
                _add(by_line.setdefault(line, self._zero()), own[node])
                _add(sums[node], own[node])
            if parent != ROOT:
                _add(sums[parent], sums[node])
        self._add_calls(found, functions, sums)
        return found

    def _add_calls(
        self,
        found: dict[Function, Spent],
        functions: Sequence[Function],
        sums: Sequence[Costs],
    ) -> None:
        """Adds the calls of functions; ``sums`` are the inclusive costs of nodes.

        Viewers add up the costs of all calls to a function. So that a sample counts
        once for a recursive function, inner calls have no cost.
        """
        profile = self._profile
        # Counts the nodes of each function on the path from the root to this node.
        active: Counter[Function] = Counter()
        for node, leaves in walk(profile.parents):
            parent, callee = profile.parents[node], functions[profile.frame_of[node]]
            if leaves:
                active[callee] -= 1
                continue
            if parent != ROOT and any(sums[node]):
                caller = profile.frame_of[parent]
                calls = found[functions[caller]].calls
                call = profile.frames[caller].line or 0, callee
                costs = calls.setdefault(call, self._zero())
                if not active[callee]:
                    _add(costs, sums[node])
            active[callee] += 1

    def _own(self) -> list[Costs]:
        """Returns the own costs of each stack's innermost function."""
        own = [self._zero() for _ in self._profile.parents]
        column = {event: at for at, event in enumerate(self._events)}
        for row in self._profile.rows:
            own[row.node][column[row.event]] += row.weight
        return own


def _add(to: Costs, costs: Costs) -> None:
    for at, cost in enumerate(costs):
        to[at] += cost


def _function(frame: Frame) -> Function:
    return Function(frame.object, frame.file or UNKNOWN_FILE, label(frame))


def _word(text: str) -> str:
    """Replaces the spaces in a name, because spaces separate names."""
    return "-".join(text.split()) or UNKNOWN


EXPORT = Export("callgrind", "callgrind's format", write, Detail.INLINES)
