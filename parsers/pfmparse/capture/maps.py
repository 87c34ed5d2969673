# SPDX-License-Identifier: MIT OR GPL-2.0
"""The mappings of processes: the MAPS chunks (docs/capture.md)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Iterator, Optional

import numpy as np

from ..arrays import NDArray
from .file_state import FileState, parse_build_id, parse_state
from .json_node import U64_MAX, Node

PROT = re.compile("[r-][w-][x-][sp]")
OLD_PROT = "r-xp"  # in captures that do not record it

# Names in /proc/PID/maps of memory that no file backs, unless it has a build ID.
_ANONYMOUS = re.compile(
    r"(\[anon.*|/memfd:.*|(/dev/zero|/anon_hugepage|/SYSV[0-9a-f]{8})( \(deleted\))?|)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Mapping:
    """Addresses start <= a < end map the file from byte ``offset`` on.

    ``prot`` holds the permissions as in /proc/PID/maps, "r-xp" for example; old
    captures lack it and have executable mappings only.
    """

    start: int
    end: int
    offset: int
    path: str
    build_id: Optional[bytes]
    prot: str = OLD_PROT
    state: Optional[FileState] = None

    def is_of(self, other: Mapping) -> bool:
        """True if both map the same file."""
        if self.build_id or other.build_id:
            return self.build_id == other.build_id
        return self.path == other.path

    @property
    def executable(self) -> bool:
        """True if the mapping may contain code."""
        return self.prot[2] == "x"


@dataclass(frozen=True)
class ProcessMaps:
    """The mappings of one process, in ascending order of start.

    Only formats that record data addresses have mappings that are not executable.
    """

    tgid: int
    comm: str
    mappings: tuple[Mapping, ...]

    def find(self, addresses: NDArray[np.uint64]) -> NDArray[np.intp]:
        """For each address, the index of its mapping, or -1; shape (n,)."""
        starts = np.array([m.start for m in self.mappings], np.uint64)
        ends = np.array([m.end for m in self.mappings], np.uint64)
        found = np.searchsorted(starts, addresses, side="right") - 1
        inside = found >= 0
        inside[inside] = addresses[inside] < ends[found[inside]]
        return np.where(inside, found, -1)


def is_anonymous(path: str) -> bool:
    """True if the name is one of memory that no file backs."""
    return _ANONYMOUS.fullmatch(path) is not None


class MapsHistory:
    """All mappings of a capture, and the buffers to which they apply.

    An epoch is the number of MAPS chunks before a point of the capture.
    """

    def __init__(self) -> None:
        self.epoch = 0
        self._processes: dict[int, list[tuple[int, ProcessMaps]]] = {}

    def add(self, maps: ProcessMaps) -> None:
        """Adds the next MAPS chunk."""
        self.epoch += 1
        self._processes.setdefault(maps.tgid, []).append((self.epoch, maps))

    def keep(self, number: int) -> int:
        """Keeps at most ``number`` mappings, the last ones of each process.

        Returns the number of kept mappings. Epochs do not change.
        """
        last = {tgid: told[-1:] for tgid, told in self._processes.items()}
        kept = 0
        self._processes = {}
        for tgid, told in sorted(last.items(), key=lambda item: -item[1][0][0]):
            kept += len(told[0][1].mappings)
            if kept > number:
                return kept - len(told[0][1].mappings)
            self._processes[tgid] = told
        return kept

    def all(self) -> Iterator[tuple[int, ProcessMaps]]:
        """The mappings of each chunk with the epoch that it begins, by epoch."""
        found = [item for history in self._processes.values() for item in history]
        yield from sorted(found, key=lambda item: item[0])

    def processes(self) -> dict[int, str]:
        """The last known name of each process, by tgid."""
        return {tgid: all[-1][1].comm for tgid, all in self._processes.items()}

    def only_tgid(self) -> Optional[int]:
        """The only process, None if there are several or none."""
        return next(iter(self._processes)) if len(self._processes) == 1 else None

    def code_of(self, mapping: Mapping) -> Optional[int]:
        """The offset of the first page of code in a mapping's file, None if unknown."""
        offsets = [
            one.offset
            for _, process in self.all()
            for one in process.mappings
            if one.executable and one.is_of(mapping)
        ]
        return min(offsets, default=None)

    def candidates(self, tgid: int, epoch: int) -> list[ProcessMaps]:
        """The mappings to search, in order, for a sample in a buffer of this epoch.

        The last mappings before the buffer replaced all earlier ones. The next ones may
        contain files that were mapped just before the buffer was copied.
        """
        history = self._processes.get(tgid, [])
        following = bisect_right(history, epoch, key=lambda item: item[0])
        first, end = max(0, following - 1), following + 1
        return [maps for _, maps in history[first:end]]


def parse_maps(text: bytes, offset: int) -> ProcessMaps:
    """The mappings in a MAPS document that starts at byte ``offset`` of the file."""
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
