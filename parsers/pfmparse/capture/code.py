# SPDX-License-Identifier: MIT OR GPL-2.0
"""Code without a file: images of vDSOs, and JIT-compiled functions.

These are the VDSO and JITM chunks (docs/capture.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Optional

import numpy as np

from ..errors import PfmParseError
from ..layout import Data, NDArray, struct_dtype, view
from ..text import amount
from .json_node import U64_MAX

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


MAX_JIT_TEXT = 256 << 20  # bytes, in all JITM chunks together

JIT_HEADER = struct_dtype(8, [("tgid", "<u4", 0), ("flags", "<u4", 4)])
assert JIT_HEADER.itemsize == 8
CUT = 0x1  # flag: /tmp/perf-PID.map was longer than the stored text

# Start and size in hexadecimal, and a name, which may contain spaces.
_LINE = re.compile(rb"\s*(?:0x)?([0-9a-f]+)\s+(?:0x)?([0-9a-f]+)\s+(\S.*)", re.I)


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


class JitSymbols:
    """The functions that one process generated, from its /tmp/perf-PID.map.

    ``cut`` is set if the capture stores only the beginning of this file. Malformed
    lines are ignored, because programs write these files while they run.
    """

    def __init__(self, tgid: int, text: bytes, cut: bool) -> None:
        self.tgid = tgid
        self.cut = cut
        self._text = text

    def __len__(self) -> int:
        return len(self._parsed[2])

    def find(self, addresses: NDArray[np.uint64]) -> list[Optional[JitFunction]]:
        """Returns the function of each address, or None; n elements.

        If several functions were at an address, the last one in the file counts.
        """
        starts, ends, names = self._parsed
        order = np.argsort(addresses, kind="stable")
        ascending = addresses[order]
        first = np.searchsorted(ascending, starts)
        behind = np.searchsorted(ascending, ends)
        owner = np.full(addresses.size, -1, np.intp)
        # Skip functions without samples; most functions have none.
        for function in np.flatnonzero(first < behind).tolist():
            owner[first[function] : behind[function]] = function
        found: list[Optional[JitFunction]] = [None] * addresses.size
        for at, function in zip(order.tolist(), owner.tolist()):
            if function >= 0:
                name = names[function].decode(errors="replace")
                found[at] = JitFunction(name, int(starts[function]))
        return found

    def ranges(self) -> list[JitRange]:
        """Returns the functions, by address.

        Of several functions with the same start, the last one counts. A function that
        overlaps the following one ends where that one starts.
        """
        last = {
            int(start): JitRange(int(start), int(end), name.decode(errors="replace"))
            for start, end, name in zip(*self._parsed)
        }
        found = [last[start] for start in sorted(last)]
        following = [one.start for one in found[1:]] + [U64_MAX]
        return [
            one._replace(end=min(one.end, end)) for one, end in zip(found, following)
        ]

    @cached_property
    def _parsed(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], list[bytes]]:
        """Returns the functions' starts, ends and names, in the order of the file."""
        # The last line may be incomplete.
        lines = self._text.split(b"\n")[:-1]
        starts, ends, names = [], [], []
        for match in filter(None, map(_LINE.fullmatch, lines)):
            start = int(match[1], 16)
            end = start + int(match[2], 16)
            if start < end <= U64_MAX:
                starts.append(start)
                ends.append(end)
                names.append(match[3].rstrip())
        return np.array(starts, np.uint64), np.array(ends, np.uint64), names


class JitMaps:
    """The generated functions of each process, from its last JITM chunk."""

    def __init__(self) -> None:
        self._processes: dict[int, JitSymbols] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._processes)

    def add(self, payload: Data, offset: int) -> None:
        """Adds the next JITM chunk, whose payload is at byte ``offset``."""
        if len(payload) < JIT_HEADER.itemsize:
            raise PfmParseError("JITM without a header", offset)
        header = view(payload, JIT_HEADER, 1, 0, len(payload))[0]
        self._bytes += len(payload)
        if self._bytes > MAX_JIT_TEXT:
            many = f"more than {MAX_JIT_TEXT} bytes of JITM"
            raise PfmParseError(many, offset)
        tgid, cut = int(header["tgid"]), bool(header["flags"] & CUT)
        text = bytes(payload[JIT_HEADER.itemsize :])
        self._processes[tgid] = JitSymbols(tgid, text, cut)

    def find(self, tgid: int) -> Optional[JitSymbols]:
        """Returns the functions that a process generated, None without a JITM chunk."""
        return self._processes.get(tgid)

    def processes(self) -> list[JitSymbols]:
        """Returns the functions of all processes with a JITM chunk, by tgid."""
        return [self._processes[tgid] for tgid in sorted(self._processes)]
