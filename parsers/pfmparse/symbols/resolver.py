# SPDX-License-Identifier: MIT OR GPL-2.0
"""From addresses to functions and source lines."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import Callable, Iterable, Iterator, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from ..capture.cookies import CookieFile
from ..capture.json_node import U64_MAX
from ..capture.kallsyms import KernelSymbols
from ..capture.maps import Mapping, MapsHistory
from ..grouping import split
from ..layout import KERNEL_START
from . import libdw

UNKNOWN = "[unknown]"
DELETED = " (deleted)"


@dataclass(frozen=True)
class Location:
    """Where an address lies.

    ``object`` is a path, "[kernel]", a module as "[name]" or "[unknown]"; ``symbol``
    and ``line`` ("file:line") are None where they are not known.
    """

    object: str
    symbol: Optional[str] = None
    line: Optional[str] = None


class Detail(Enum):
    """How much to look up about a place in a file."""

    OBJECT = "object"
    SYMBOL = "symbol"
    LINE = "line"


@dataclass(frozen=True)
class Addresses:
    """Distinct addresses; all three of shape (n,).

    ``tgid`` is the process that ran there, ``epoch`` that of its mappings.
    """

    epoch: NDArray[np.uint64]
    tgid: NDArray[np.uint64]
    ip: NDArray[np.uint64]


@dataclass(frozen=True)
class _Code:
    """Known symbol and line of a place in a file."""

    symbol: Optional[str]
    line: Optional[str]


# A mapping, the elements of Addresses within it, and their offsets in the file.
_Place = tuple[Mapping, NDArray[np.intp], NDArray[np.uint64]]

# The places in one file: by mapping, elements of Addresses and offsets.
_Places = dict[Mapping, list[tuple[NDArray[np.intp], NDArray[np.uint64]]]]


class Resolver:
    """Finds the locations of a capture's addresses."""

    def __init__(
        self,
        maps: MapsHistory,
        kernel: Optional[KernelSymbols],
        symfs: Sequence[str],
        detail: Detail,
        warn: Callable[[str], None],
    ) -> None:
        """``symfs`` are directories with copies of the files, searched first.

        ``warn`` is called once per file whose symbols are missing, with the reason.
        """
        self._maps = maps
        self._kernel = kernel
        self._symfs = symfs
        self._detail = detail
        self._warn = warn

    def resolve(self, addresses: Addresses) -> list[Location]:
        """The location of each address; n elements."""
        locations = [Location(UNKNOWN)] * addresses.ip.size
        in_kernel = addresses.ip >= np.uint64(KERNEL_START)
        self._resolve_kernel(addresses, np.flatnonzero(in_kernel), locations)
        places = self._mapped(addresses, np.flatnonzero(~in_kernel))
        self._resolve_places(places, locations)
        return locations

    def resolve_files(
        self,
        files: dict[int, CookieFile],
        cookies: NDArray[np.uint64],
        offsets: NDArray[np.uint64],
    ) -> list[Location]:
        """The location of each offset in the file of each cookie; n elements."""
        locations = [Location(UNKNOWN)] * offsets.size
        places = []
        for which in split(np.arange(cookies.size), cookies):
            file = files.get(int(cookies[which[0]]))
            if file is not None:
                whole = Mapping(0, U64_MAX, 0, file.path, file.build_id)
                places.append((whole, which, offsets[which]))
        self._resolve_places(places, locations)
        return locations

    def _resolve_places(self, found: Iterable[_Place], out: list[Location]) -> None:
        """Resolves places in mapped files, file by file."""
        files: dict[tuple[Optional[bytes], str], _Places] = {}
        for mapping, which, offsets in found:
            # Files with the same build ID are the same file.
            key = (mapping.build_id, "" if mapping.build_id else mapping.path)
            files.setdefault(key, defaultdict(list))[mapping].append((which, offsets))
        for places in files.values():
            self._resolve_file(places, out)

    def _resolve_kernel(
        self, addresses: Addresses, which: NDArray[np.intp], out: list[Location]
    ) -> None:
        kernel = self._kernel or KernelSymbols(b"", 0)
        found = kernel.find(addresses.ip[which])
        for at, (symbol, where) in zip(which.tolist(), found):
            out[at] = Location(where, symbol or None)

    def _mapped(self, addresses: Addresses, user: NDArray[np.intp]) -> Iterator[_Place]:
        """Mappings, the elements of ``user`` within them, and their file offsets."""
        for space in split(user, addresses.epoch[user], addresses.tgid[user]):
            epoch, tgid = addresses.epoch[space[0]], addresses.tgid[space[0]]
            for maps in self._maps.candidates(int(tgid), int(epoch)):
                found = maps.find(addresses.ip[space])
                hits = np.flatnonzero(found >= 0)
                for hit in split(hits, found[hits]):
                    mapping, which = maps.mappings[found[hit[0]]], space[hit]
                    shift = np.uint64((mapping.offset - mapping.start) % (1 << 64))
                    yield mapping, which, addresses.ip[which] + shift
                space = space[found < 0]

    def _resolve_file(self, places: _Places, out: list[Location]) -> None:
        """Resolves the places in one file, which may be mapped under several names."""
        offsets = np.unique(
            np.concatenate([at for hits in places.values() for _, at in hits])
        )
        code = self._read(list(places), offsets.tolist())
        for mapping, hits in places.items():
            name = mapping.path or UNKNOWN
            for which, ats in hits:
                for index, at in zip(which.tolist(), ats.tolist()):
                    known = code.get(at, _Code(None, None))
                    out[index] = Location(name, known.symbol, known.line)

    def _read(self, mappings: list[Mapping], offsets: list[int]) -> dict[int, _Code]:
        """What is at those offsets of the file; empty if it cannot be read."""
        paths = {m.path for m in mappings if m.path.startswith("/")}
        if not paths or self._detail is Detail.OBJECT:
            return {}
        if not libdw.available():
            self._warn(f"{min(paths)} cannot be read without libdw.so.1")
            return {}
        different = False
        for path in _copies(sorted(paths), self._symfs):
            try:
                with libdw.ElfFile(path) as elf:
                    if mappings[0].build_id in (None, elf.build_id()):
                        return {at: self._code(elf, at) for at in offsets}
                different = True
            except (OSError, ValueError):
                continue
        why = "has another build ID" if different else "cannot be read"
        self._warn(f"{min(paths)} {why}, its symbols are missing")
        return {}

    def _code(self, elf: libdw.ElfFile, offset: int) -> _Code:
        address = elf.address(offset)
        if address is None:
            return _Code(None, None)
        line = elf.line(address) if self._detail is Detail.LINE else None
        return _Code(elf.function(address), line)


def _copies(paths: list[str], symfs: Sequence[str]) -> Iterator[str]:
    """Candidates for the file that was mapped under those paths, best first."""
    for path in paths:
        name = path.removesuffix(DELETED)
        for directory in symfs:
            yield os.path.join(directory, name.lstrip("/"))
            yield os.path.join(directory, os.path.basename(name))
    for path in paths:
        yield path.removesuffix(DELETED)
