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
from ..layout import Data, split, struct_dtype, view
from ..text import amount
from .json_node import U64_MAX
from .overlaps import NONE, Ids, Overlaps, U64s, overlapping

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
            raise PfmParseError("VDSO without a header", offset)
        header = view(payload, VDSO_HEADER, 1, 0, len(payload))[0]
        size = int(header["id_size"])
        if not 0 < size <= VDSO_HEADER["build_id"].itemsize:
            text = f"VDSO: invalid size of the build ID: {amount(size, 'bytes')}"
            raise PfmParseError(text, offset)
        if len(self._images) == MAX_IMAGES:
            raise PfmParseError(f"more than {MAX_IMAGES} VDSO chunks", offset)
        build_id = header["build_id"].tobytes()[:size]
        self._images[build_id] = bytes(payload[VDSO_HEADER.itemsize :])


MAX_JIT_TEXT = 256 << 20  # bytes, in all JITM and JITD chunks together

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
    """Columns of functions in order of their times on CLOCK_MONOTONIC, in ns."""

    times: U64s
    starts: U64s
    ends: U64s
    names: list[bytes]


class JitSymbols:
    """The functions that one process generated.

    ``text`` is the process's /tmp/perf-PID.map, whose functions have the time 0.
    ``dumps`` are the texts of its JITD chunks. ``cut`` is set if the capture does not
    store all functions. Malformed lines are ignored, because programs write these files
    while they run.
    """

    def __init__(
        self, tgid: int, text: bytes, cut: bool, dumps: Sequence[bytes] = ()
    ) -> None:
        self.tgid = tgid
        self.cut = cut
        self._text = text
        self._dumps = dumps

    def __len__(self) -> int:
        return len(self._functions.names)

    def find(self, addresses: U64s) -> list[Optional[JitFunction]]:
        """Returns the last function at each address, or None; n elements."""
        _, starts, ends, _ = self._functions
        ascending = np.sort(addresses)
        first = np.searchsorted(ascending, starts)
        behind = np.searchsorted(ascending, ends)
        # Skip functions without samples; most functions have none.
        used = np.flatnonzero(first < behind)
        found = Overlaps(starts[used], ends[used]).last(addresses, used.size)
        return [
            None if at == NONE else self.function(used[at]) for at in found.tolist()
        ]

    def replaced(self, addresses: U64s, times: U64s) -> Ids:
        """Returns the row of the function at each address and time; shape (n,).

        If functions with times share addresses, this is the last function up to the
        time on CLOCK_MONOTONIC; if all functions are later, it is the first one. The
        row is NONE if no function at the address shares addresses with another one.
        """
        times_of, rows, overlaps = self._replaced
        found = overlaps.last(addresses, np.searchsorted(times_of, times, side="right"))
        return np.append(rows, NONE)[found]

    def function(self, row: int) -> JitFunction:
        """Returns the function with a row from replaced()."""
        name = self._functions.names[row].decode(errors="replace")
        return JitFunction(name, int(self._functions.starts[row]))

    def ranges(self) -> list[JitRange]:
        """Returns the functions, by address.

        Of several functions with the same start, the last one counts. A function that
        overlaps the following one ends where that one starts.
        """
        _, starts, ends, names = self._functions
        last = {
            int(start): JitRange(int(start), int(end), name.decode(errors="replace"))
            for start, end, name in zip(starts, ends, names)
        }
        found = [last[start] for start in sorted(last)]
        following = [one.start for one in found[1:]] + [U64_MAX]
        return [
            one._replace(end=min(one.end, end)) for one, end in zip(found, following)
        ]

    @cached_property
    def _replaced(self) -> tuple[U64s, Ids, Overlaps]:
        """Returns times and rows of functions that share addresses, and their ranges.

        There are none if functions have no times.
        """
        times, starts, ends, _ = self._functions
        rows = overlapping(starts, ends) if self._dumps else np.zeros(0, np.intp)
        return times[rows], rows, Overlaps(starts[rows], ends[rows])

    @cached_property
    def _functions(self) -> _Functions:
        columns, names = (array("Q"), array("Q"), array("Q")), list[bytes]()
        add_time, add_start, add_end = (column.append for column in columns)
        for time, start, size, name in chain(
            _mapped(self._text), *map(_dumped, self._dumps)
        ):
            end = start + size
            if start < end <= U64_MAX and time <= U64_MAX:
                add_time(time)
                add_start(start)
                add_end(end)
                names.append(name)
        times, starts, ends = (np.array(column, np.uint64) for column in columns)
        if not self._dumps:
            return _Functions(times, starts, ends, names)
        order = np.argsort(times, kind="stable")
        names = [names[row] for row in order.tolist()]
        return _Functions(times[order], starts[order], ends[order], names)


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


class _Chunk(NamedTuple):
    """A JITM or JITD chunk."""

    text: bytes = b""
    cut: bool = False


class JitMaps:
    """The generated functions of each process, from its JITM and JITD chunks."""

    def __init__(self) -> None:
        # A process's JITM chunk, and then its JITD chunks.
        self._chunks: dict[int, list[_Chunk]] = {}
        self._processes: dict[int, JitSymbols] = {}
        self._numbers: dict[JitFunction, int] = {}
        self._functions: list[JitFunction] = []
        self._bytes = 0
        self.timed = False  # True if functions have times: there are JITD chunks

    def __len__(self) -> int:
        return len(self._chunks)

    def add(self, payload: Data, offset: int) -> None:
        """Adds the next JITM chunk, whose payload is at byte ``offset``.

        It replaces the process's last one.
        """
        chunk, chunks = self._parse("JITM", payload, offset)
        chunks[0] = chunk

    def add_dump(self, payload: Data, offset: int) -> None:
        """Adds the next JITD chunk, whose payload is at byte ``offset``."""
        chunk, chunks = self._parse("JITD", payload, offset)
        chunks.append(chunk)
        self.timed = True

    def _parse(
        self, kind: str, payload: Data, offset: int
    ) -> tuple[_Chunk, list[_Chunk]]:
        """Returns the chunk, and the process's chunks so far."""
        if len(payload) < JIT_HEADER.itemsize:
            raise PfmParseError(f"{kind} without a header", offset)
        header = view(payload, JIT_HEADER, 1, 0, len(payload))[0]
        self._bytes += len(payload)
        if self._bytes > MAX_JIT_TEXT:
            many = f"more than {MAX_JIT_TEXT} bytes of JITM and JITD"
            raise PfmParseError(many, offset)
        tgid, cut = int(header["tgid"]), bool(header["flags"] & CUT)
        self._processes.pop(tgid, None)
        chunk = _Chunk(bytes(payload[JIT_HEADER.itemsize :]), cut)
        return chunk, self._chunks.setdefault(tgid, [_Chunk()])

    def find(self, tgid: int) -> Optional[JitSymbols]:
        """Returns the functions that a process generated, None without a chunk."""
        if tgid in self._chunks and tgid not in self._processes:
            texts, cuts = zip(*self._chunks[tgid])
            self._processes[tgid] = JitSymbols(tgid, texts[0], any(cuts), texts[1:])
        return self._processes.get(tgid)

    def numbers(self, tgids: U64s, addresses: U64s, times: U64s) -> Ids:
        """Returns the number of the function at each address and time; shape (n,).

        A number stays valid when further chunks are added. Times are those of
        CLOCK_MONOTONIC. The number is NONE if the time does not matter, because no
        function at the address shares addresses with another one.
        """
        found = np.full(addresses.size, NONE)
        for which in split(np.arange(addresses.size), tgids):
            symbols = self.find(int(tgids[which[0]]))
            if symbols is not None:
                rows = symbols.replaced(addresses[which], times[which])
                distinct, indices = np.unique(rows, return_inverse=True)
                numbers = [self._number(symbols, row) for row in distinct.tolist()]
                found[which] = np.array(numbers)[indices]
        return found

    def _number(self, symbols: JitSymbols, row: int) -> int:
        if row == NONE:
            return NONE
        function = symbols.function(row)
        number = self._numbers.setdefault(function, len(self._functions))
        if number == len(self._functions):
            self._functions.append(function)
        return number

    def function(self, number: int) -> JitFunction:
        """Returns the function with a number from numbers()."""
        return self._functions[number]

    def processes(self) -> list[JitSymbols]:
        """Returns the functions of all processes that have any chunk, by tgid."""
        found = map(self.find, sorted(self._chunks))
        return [process for process in found if process is not None]
