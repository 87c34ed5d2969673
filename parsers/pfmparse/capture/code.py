# SPDX-License-Identifier: MIT OR GPL-2.0
"""Code without a file: images of vDSOs, and JIT-compiled functions.

These are the VDSO, JITM and JITD chunks (docs/capture.md).
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Iterator, NamedTuple, Optional, Sequence

import numpy as np

from ..errors import PfmParseError
from ..layout import Data, struct_dtype, view
from ..text import amount
from .json_node import U64_MAX
from .overlaps import NONE, Ids, Overlaps, U64s

MAX_IMAGES = 16  # a kernel has one image for each word size
VDSO_HEADER = struct_dtype(
    72, [("id_size", "<u4", 0), ("reserved", "<u4", 4), ("build_id", "V64", 8)]
)


class VdsoImages:
    """The ELF images of vDSOs, by build ID."""

    def __init__(self) -> None:
        self._images: dict[bytes, bytes] = {}

    def __contains__(self, build_id: object) -> bool:
        return build_id in self._images

    def __getitem__(self, build_id: bytes) -> bytes:
        return self._images[build_id]

    def add(self, payload: Data, offset: int) -> None:
        """Adds the next VDSO chunk, whose payload is at byte ``offset``."""
        if len(payload) < VDSO_HEADER.itemsize:
            raise PfmParseError("the VDSO chunk is shorter than its header", offset)
        header = view(payload, VDSO_HEADER, 1, 0, len(payload))[0]
        size = int(header["id_size"])
        if not 0 < size <= VDSO_HEADER["build_id"].itemsize:
            text = f"VDSO: invalid size of the build ID: {amount(size, 'bytes')}"
            raise PfmParseError(text, offset)
        if len(self._images) == MAX_IMAGES:
            raise PfmParseError(f"more than {MAX_IMAGES} VDSO chunks", offset)
        build_id = header["build_id"].tobytes()[:size]
        self._images[build_id] = bytes(payload[VDSO_HEADER.itemsize :])


# Maxima of all JITM and JITD chunks together.
MAX_JIT_CHUNKS = 256
MAX_JIT_LINES = 1 << 21
MAX_JIT_TEXT = 256 << 20  # bytes

JIT_HEADER = struct_dtype(8, [("tgid", "<u4", 0), ("flags", "<u4", 4)])
assert JIT_HEADER.itemsize == 8
CUT = 0x1  # flag: the chunk lacks functions

# Complete lines; the last line of a text may be incomplete. A line of a perf map has
# start and size in hexadecimal, and a name, which may contain spaces.
_LINE = re.compile(
    rb"^[^\S\n]*(?:0x)?([0-9a-f]+)[^\S\n]+(?:0x)?([0-9a-f]+)[^\S\n]+(\S.*)\n",
    re.I | re.M,
)
# Time, start, size, index, and the name, which is missing if a function was moved.
_TIMED_LINE = re.compile(
    rb"^([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)(?: (.+))?\n", re.M
)


@dataclass(frozen=True)
class JitFunction:
    """A function that a process generated, and the function's first address."""

    name: str
    start: int


class JitRange(NamedTuple):
    """A generated function and its addresses, from ``start`` up to ``end``."""

    start: int
    end: int
    name: str


class _Functions(NamedTuple):
    """Columns of functions; times are those of CLOCK_MONOTONIC, in ns."""

    times: U64s
    starts: U64s
    ends: U64s
    names: list[bytes]


class JitChunk:
    """A JITM chunk, whose functions have the time 0; if ``timed``, a JITD chunk.

    ``cut`` is set if the chunk lacks functions. Malformed lines are ignored, because
    programs write these files while they run.
    """

    def __init__(self, text: bytes, cut: bool = False, timed: bool = False) -> None:
        self.cut = cut
        self.timed = timed
        self._text = text

    @cached_property
    def functions(self) -> tuple[U64s, list[bytes]]:
        """The times, starts and ends, shape (n, 3), and the names."""
        numbers, names = array("Q"), list[bytes]()
        parse = _dumped if self.timed else _mapped
        for time, start, size, name in parse(self._text):
            if size and start + size <= U64_MAX and time <= U64_MAX:
                numbers.extend((time, start, start + size))
                names.append(name)
        return np.array(numbers, np.uint64).reshape(-1, 3), names


class JitSymbols:
    """The functions that one process generated.

    ``cut`` is set if the capture does not store all functions. A function has a row,
    its number in the order of times.
    """

    def __init__(self, tgid: int, chunks: Sequence[JitChunk]) -> None:
        self.tgid = tgid
        self.cut = any(chunk.cut for chunk in chunks)
        self.chunks = chunks

    def __len__(self) -> int:
        return len(self._functions.names)

    def find(self, addresses: U64s, times: Optional[U64s] = None) -> Ids:
        """Returns the row of the function at each address and time, or NONE.

        This is the last function there up to the time on CLOCK_MONOTONIC. Without
        ``times``, it is the last one. Both arrays have shape (n,).
        """
        if times is None:
            return self._overlaps.last(addresses, len(self))
        limits = np.searchsorted(self._functions.times, times, side="right")
        rows = self._overlaps.last(addresses, limits)
        return np.where(rows < limits, rows, NONE)

    def function(self, row: int) -> JitFunction:
        """Returns a function by its row."""
        return JitFunction(self._name(row), int(self._functions.starts[row]))

    def ranges(self) -> list[JitRange]:
        """Returns the last function at each address, by address."""
        edges = self._overlaps.edges
        rows = self.find(edges)
        changes = np.flatnonzero(rows != np.append(NONE, rows[:-1]))
        starts = edges[changes].tolist()
        return [
            JitRange(start, end, self._name(row))
            for start, end, row in zip(starts, starts[1:], rows[changes].tolist())
            if row != NONE
        ]

    def _name(self, row: int) -> str:
        return self._functions.names[row].decode(errors="replace")

    @cached_property
    def _overlaps(self) -> Overlaps:
        return Overlaps(self._functions.starts, self._functions.ends)

    @cached_property
    def _functions(self) -> _Functions:
        """The functions of all chunks in the order of times."""
        tables, names = zip(*(chunk.functions for chunk in self.chunks))
        table, every = np.concatenate(tables), list(chain.from_iterable(names))
        order = np.argsort(table[:, 0], kind="stable")
        times, starts, ends = table[order].T.copy()
        return _Functions(times, starts, ends, [every[row] for row in order.tolist()])


_Row = tuple[int, int, int, bytes]  # time, start, size, name


def _mapped(text: bytes) -> Iterator[_Row]:
    """Yields the functions in a perf map."""
    for match in _LINE.finditer(text):
        yield 0, int(match[1], 16), int(match[2], 16), match[3].rstrip()


def _dumped(text: bytes) -> Iterator[_Row]:
    """Yields the functions in a JITD chunk, including moved ones."""
    names = dict[int, bytes]()  # by index
    for match in _TIMED_LINE.finditer(text):
        time, start, size, index = (int(match[at], 16) for at in range(1, 5))
        name = names[index] = match[5] or names.get(index, b"")
        if name:
            yield time, start, size, name


class JitMaps:
    """The generated functions of each process, from its JITM and JITD chunks."""

    def __init__(self) -> None:
        self._processes: dict[int, JitSymbols] = {}
        self._count = self._lines = self._bytes = 0
        self.timed = False  # True if functions have times: there are JITD chunks

    def __len__(self) -> int:
        return len(self._processes)

    def add(self, kind: str, payload: Data, offset: int) -> None:
        """Adds the next JITM or JITD chunk, whose payload is at byte ``offset``.

        A JITM chunk replaces the process's last one.
        """
        if len(payload) < JIT_HEADER.itemsize:
            raise PfmParseError(f"the {kind} chunk is shorter than its header", offset)
        header = view(payload, JIT_HEADER, 1, 0, len(payload))[0]
        text = bytes(payload[JIT_HEADER.itemsize :])
        self._limit(text, offset)
        tgid, cut = int(header["tgid"]), bool(header["flags"] & CUT)
        timed = kind == "JITD"
        self.timed |= timed
        chunks = [JitChunk(text, cut, timed)]
        if tgid in self._processes:
            earlier = self._processes[tgid].chunks
            chunks[:0] = [chunk for chunk in earlier if timed or chunk.timed]
        chunks.sort(key=lambda chunk: chunk.timed)
        self._processes[tgid] = JitSymbols(tgid, chunks)

    def _limit(self, text: bytes, offset: int) -> None:
        """Raises PfmParseError if the chunk with the text exceeds a limit."""
        self._count += 1
        self._lines += text.count(b"\n")
        self._bytes += len(text)
        for count, most, what in (
            (self._count, MAX_JIT_CHUNKS, "chunks"),
            (self._lines, MAX_JIT_LINES, "lines"),
            (self._bytes, MAX_JIT_TEXT, "bytes"),
        ):
            if count > most:
                raise PfmParseError(f"more than {most} {what} of JITM and JITD", offset)

    def find(self, tgid: int) -> Optional[JitSymbols]:
        """Returns the functions that a process generated, None without a chunk."""
        return self._processes.get(tgid)

    def processes(self) -> list[JitSymbols]:
        """Returns the functions of all processes that have any chunk, by tgid."""
        return [self._processes[tgid] for tgid in sorted(self._processes)]
