# SPDX-License-Identifier: MIT OR GPL-2.0
"""The mappings of processes: the MAPS chunks (docs/capture.md)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Iterator, NamedTuple, Optional

import numpy as np

from ..layout import NDArray, split
from .json_node import U64_MAX, Node


@dataclass(frozen=True)
class FileState:
    """The state, at the time of recording, of a file that has no GNU build ID.

    ``go_build_id`` is the ID that Go's linker has written into the file, or None.
    """

    size: int
    mtime_ns: int
    go_build_id: Optional[str] = None


def parse_build_id(node: Node) -> Optional[bytes]:
    """Returns the build ID of a mapping or a cookie."""
    return node["build_id"].unless_null(Node.hexadecimal) or None


def parse_state(node: Node) -> Optional[FileState]:
    """Returns the recorded state of a mapping's or cookie's file, or None."""
    size = node.optional("size", Node.u64)
    mtime_ns = node.optional("mtime_ns", Node.u64)
    go_build_id = node.optional("go_build_id", Node.string)
    if size is None or mtime_ns is None:
        return None
    return FileState(size, mtime_ns, go_build_id)


# Shorter build IDs do not identify a file: for example, all programs that are linked
# with --build-id=0x01 have the same one. elfutils ignores such IDs.
LEAST_BUILD_ID = 4  # bytes


def file_key(
    build_id: Optional[bytes], path: str, state: Optional[FileState]
) -> tuple[Optional[bytes], str, Optional[FileState]]:
    """Returns a key that differs for different files."""
    return build_id, "" if is_unique(build_id) else path, state


def is_unique(build_id: Optional[bytes]) -> bool:
    """Returns whether the build ID is long enough to identify a file."""
    return build_id is not None and len(build_id) >= LEAST_BUILD_ID


PROT = re.compile("[r-][w-][x-][sp]")
OLD_PROT = "r-xp"  # assumed for captures that do not record permissions

# Names of mappings in /proc/PID/maps that do not map a file. However, a mapping with a
# build ID maps a file, whatever its name is.
_ANONYMOUS = re.compile(
    r"(\[anon.*|/memfd:.*|(/dev/zero|/anon_hugepage|/SYSV[0-9a-f]{8})( \(deleted\))?|)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping of the addresses ``start`` up to ``end`` to a file, from ``offset`` on.

    ``prot`` has the permissions as in /proc/PID/maps, for example "r-xp". Old captures
    do not record permissions, and have only executable mappings.
    """

    start: int
    end: int
    offset: int
    path: str
    build_id: Optional[bytes]
    prot: str = OLD_PROT
    state: Optional[FileState] = None

    def is_of(self, other: Mapping) -> bool:
        """Returns whether both map the same file."""
        one, another = (
            file_key(mapping.build_id, mapping.path, None) for mapping in (self, other)
        )
        return one == another

    @property
    def executable(self) -> bool:
        """True if the mapping may contain code."""
        return self.prot[2] == "x"


@dataclass(frozen=True)
class ProcessMaps:
    """The mappings of one process, in ascending order of start.

    Mappings that are not executable are recorded only for formats with data addresses.
    """

    tgid: int
    comm: str
    mappings: tuple[Mapping, ...]

    def find(self, addresses: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Returns the index of the mapping at each address, or -1; shape (n,)."""
        starts = np.array([m.start for m in self.mappings], np.uint64)
        ends = np.array([m.end for m in self.mappings], np.uint64)
        found = np.searchsorted(starts, addresses, side="right") - 1
        inside = found >= 0
        inside[inside] = addresses[inside] < ends[found[inside]]
        return np.where(inside, found, -1)


def is_anonymous(path: str) -> bool:
    """Returns whether a mapping with this name has no file."""
    return _ANONYMOUS.fullmatch(path) is not None


class State(NamedTuple):
    """The mappings of a process from the time ``since`` on.

    ``epoch`` is the epoch that starts with this state.
    """

    epoch: int
    since: int
    maps: ProcessMaps


class MapsHistory:
    """All mappings of a capture, and the buffers and samples to which they apply.

    A state has the mappings of one process from some point of the capture on. The epoch
    at a point of the capture is the number of states, of all processes, that have begun
    before it. A MAPS chunk begins a state. Some events of processes (docs/capture.md,
    PROC) begin a state with a time: a new process, a new program, and a mapping that
    replaces another one. Any other new mapping is added to the latest state of its
    process, because no earlier sample can have an address in it.
    """

    def __init__(self) -> None:
        self.epoch = 0
        self._now = 0  # the time of the latest event; 0 before the first one
        self._processes: dict[int, list[State]] = {}

    @property
    def timed(self) -> bool:
        """True if states have times."""
        return self._now > 0

    def add(self, maps: ProcessMaps) -> None:
        """Adds the next MAPS chunk."""
        self._begin(maps, self._now)

    def fork(self, time: int, tgid: int, parent: int) -> None:
        """Begins a state of a new process, which has its parent's mappings."""
        states = self._processes.get(parent)
        now = states[-1].maps if states else ProcessMaps(parent, "", ())
        self._happens(time, replace(now, tgid=tgid))

    def execute(self, time: int, tgid: int, comm: str) -> None:
        """Begins a state of a new program, which has no mappings yet."""
        self._happens(time, ProcessMaps(tgid, comm, ()))

    def map(self, time: int, tgid: int, mapping: Mapping) -> int:
        """Adds a mapping.

        If the mapping begins a state, returns the number of mappings in this state,
        otherwise 0.
        """
        states = self._processes.get(tgid)
        if not states:
            self._happens(time, ProcessMaps(tgid, "", (mapping,)))
            return 1
        last = states[-1]
        if time < last.since:
            return 0
        self._now = max(self._now, time)
        replaced, mappings = _insert(last.maps.mappings, mapping)
        maps = replace(last.maps, mappings=mappings)
        if replaced:
            self._begin(maps, time)
            return len(mappings)
        states[-1] = last._replace(maps=maps)
        return 0

    def name(self, time: int, tgid: int, comm: str) -> None:
        """Changes the name of a process."""
        states = self._processes.get(tgid)
        if states and time >= states[-1].since:
            maps = replace(states[-1].maps, comm=comm)
            states[-1] = states[-1]._replace(maps=maps)

    def _happens(self, time: int, maps: ProcessMaps) -> None:
        """Begins a state, unless the process already has a later state."""
        states = self._processes.get(maps.tgid)
        if states and time < states[-1].since:
            return
        self._now = max(self._now, time)
        self._begin(maps, time)

    def _begin(self, maps: ProcessMaps, since: int) -> None:
        self.epoch += 1
        state = State(self.epoch, since, maps)
        self._processes.setdefault(maps.tgid, []).append(state)

    def keep(self, number: int) -> int:
        """Keeps at most ``number`` mappings: the latest ones of each process.

        Returns the number of kept mappings. Epochs do not change.
        """
        last = [states[-1] for states in self._processes.values()]
        kept = 0
        self._processes = {}
        for state in sorted(last, key=lambda state: -state.epoch):
            kept += len(state.maps.mappings)
            if kept > number:
                return kept - len(state.maps.mappings)
            self._processes[state.maps.tgid] = [state]
        return kept

    def states(self) -> list[State]:
        """Returns all states, by epoch."""
        found = [state for states in self._processes.values() for state in states]
        return sorted(found, key=lambda state: state.epoch)

    def all(self) -> Iterator[tuple[int, ProcessMaps]]:
        """Yields the mappings of each state with its epoch, in order of the epochs."""
        for state in self.states():
            yield state.epoch, state.maps

    def processes(self) -> dict[int, str]:
        """Returns the last known name of each process, by tgid."""
        return {tgid: all[-1].maps.comm for tgid, all in self._processes.items()}

    def only_tgid(self) -> Optional[int]:
        """Returns the process ID if there is only one process, otherwise None."""
        return next(iter(self._processes)) if len(self._processes) == 1 else None

    def code_of(self, mapping: Mapping) -> Optional[int]:
        """Returns the lowest offset of code in a mapping's file, None if unknown."""
        offsets = [
            one.offset
            for _, process in self.all()
            for one in process.mappings
            if one.executable and one.is_of(mapping)
        ]
        return min(offsets, default=None)

    def candidates(self, tgid: int, epoch: int) -> list[ProcessMaps]:
        """Returns the mappings in which to search for a sample's addresses, in order.

        These are the process's state at the epoch, and the state that follows it.
        """
        states = self._processes.get(tgid, [])
        following = bisect_right(states, epoch, key=lambda state: state.epoch)
        first, end = max(0, following - 1), following + 1
        return [state.maps for state in states[first:end]]

    def epochs(
        self, tgids: NDArray[np.uint64], times: NDArray[np.uint64], epoch: int
    ) -> NDArray[np.uint64]:
        """Returns the mappings' epoch for each pair of process and time; shape (n,).

        The result is ``epoch`` for unknown processes.
        """
        found = np.full(times.size, epoch, np.uint64)
        for which in split(np.arange(times.size), tgids):
            states = self._processes.get(int(tgids[which[0]]))
            if states:
                since = np.array([state.since for state in states], np.uint64)
                begun = np.searchsorted(since, times[which], side="right")
                epochs = np.array([state.epoch for state in states], np.uint64)
                found[which] = epochs[np.maximum(begun, 1) - 1]
        return found


def _insert(
    mappings: tuple[Mapping, ...], new: Mapping
) -> tuple[bool, tuple[Mapping, ...]]:
    """Adds a mapping; returns whether it replaces parts of others, and all mappings."""
    first = bisect_right(mappings, new.start, key=lambda one: one.end)
    last = first
    while last < len(mappings) and mappings[last].start < new.end:
        last += 1
    hidden = mappings[first:last]
    parts = [part for one in hidden for part in _around(one, new)]
    parts = sorted([*parts, new], key=lambda one: one.start)
    replaced = not all(_continues(one, new) for one in hidden)
    return replaced, (*mappings[:first], *parts, *mappings[last:])


def _continues(one: Mapping, other: Mapping) -> bool:
    """Returns whether both map each address to the same offset in the same file."""
    return one.is_of(other) and one.offset - one.start == other.offset - other.start


def _around(one: Mapping, hole: Mapping) -> Iterator[Mapping]:
    """Yields the parts of a mapping that are outside of another one."""
    if one.start < hole.start:
        yield replace(one, end=hole.start)
    if one.end > hole.end:
        offset = (one.offset + hole.end - one.start) & U64_MAX
        yield replace(one, start=hole.end, offset=offset)


def parse_maps(text: bytes, offset: int) -> ProcessMaps:
    """Parses the MAPS document that starts at byte ``offset`` of the file."""
    node = Node.parse(text, "MAPS", offset)
    mappings = [_mapping(item) for item in node["maps"].items()]
    return ProcessMaps(
        tgid=node["tgid"].u32(),
        comm=node.exact_text("comm"),
        mappings=tuple(sorted(mappings, key=lambda m: m.start)),
    )


def _mapping(node: Node) -> Mapping:
    start = node["start"].u64()
    return Mapping(
        start=start,
        end=node["end"].integer(start + 1, U64_MAX),
        offset=node["offset"].u64(),
        path=node.exact_text("path"),
        build_id=parse_build_id(node),
        prot=node.optional("prot", _prot) or OLD_PROT,
        state=parse_state(node),
    )


def _prot(node: Node) -> str:
    prot = node.string()
    if not PROT.fullmatch(prot):
        node.refuse('not permissions as in /proc/PID/maps, such as "r-xp"')
    return prot
