# SPDX-License-Identifier: MIT OR GPL-2.0
"""Resolve addresses to functions and source lines."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Iterable,
    Iterator,
    NamedTuple,
    Optional,
    Sequence,
    Union,
)

import numpy as np

from ..capture.code import JitFunction, JitMaps, VdsoImages
from ..capture.json_node import U64_MAX
from ..capture.maps import (
    FileState,
    Mapping,
    MapsHistory,
    ProcessMaps,
    file_key,
    is_anonymous,
)
from ..layout import KERNEL_START, NDArray, split
from .demangle import Names
from .intervals import NONE, Ids, U64s
from .location import (
    JIT,
    UNKNOWN,
    Detail,
    Frame,
    Inlined,
    Line,
    Location,
    Symbol,
    SymbolOptions,
)

if TYPE_CHECKING:
    from ..capture.cookies import CookieFile
    from ..capture.kallsyms import KernelSymbol, KernelSymbols
    from .elf_file import ElfFile
    from .files import Files


@dataclass(frozen=True)
class Addresses:
    """Distinct addresses; all arrays have shape (n,).

    ``tgid`` has each address's process, ``epoch`` has the epoch of its mappings.
    ``generated`` maps the index of an address to the function that the process had
    generated there at the time, or None if there was none. At an address without an
    index, this is the function that was generated last. If a file is mapped at the
    address, it takes precedence.
    """

    epoch: NDArray[np.uint64]
    tgid: NDArray[np.uint64]
    ip: NDArray[np.uint64]
    generated: dict[int, Optional[JitFunction]] = field(default_factory=dict)


class _Place(NamedTuple):
    """The details that are known about an offset in a file."""

    address: Optional[int] = None
    symbol: Optional[Symbol] = None
    line: Optional[Line] = None
    inlines: tuple[Inlined, ...] = ()


NOTHING = _Place()

# The inlined functions at an offset, and the symbol there.
_Inlines = tuple[tuple[Inlined, ...], Optional[str]]


class _Hit(NamedTuple):
    """A mapping, the indices of the addresses in it, and their offsets in the file.

    If ``sure`` is False, the addresses are after the mapping, and perhaps not part of
    it.
    """

    mapping: Mapping
    which: Ids
    offsets: U64s
    sure: bool = True


# A function that returns what a file contains about some offsets.
_Read = Callable[["ElfFile", U64s], list[_Place]]


class Resolver:
    """Finds the locations of a capture's addresses."""

    def __init__(
        self,
        maps: MapsHistory,
        kernel: Optional[KernelSymbols],
        options: Union[SymbolOptions, Sequence[str]],
        detail: Detail,
        warn: Callable[[str], None],
        jit: Optional[JitMaps] = None,
        vdsos: Optional[VdsoImages] = None,
    ) -> None:
        """``options`` may also be a sequence of directories (symfs).

        Calls ``warn`` once for each file whose symbols are missing, with the reason.
        """
        if not isinstance(options, SymbolOptions):
            options = SymbolOptions(options)
        if detail is Detail.INLINES and not options.inlines:
            detail = Detail.LINE
        self._maps = maps
        self._kernel = kernel
        self._detail = detail
        self._jit = JitMaps() if jit is None else jit
        self._warn, self._told = warn, set[str]()
        self._options, self._vdsos = options, vdsos
        self._names = Names(options.demangle, warn)
        self._known_frames: dict[Inlined, Frame] = {}
        self._known_stacks: dict[_Inlines, tuple[Frame, ...]] = {}

    @cached_property
    def _files(self) -> Files:
        """The ELF files."""
        from .files import Files  # slow to import, and not needed without mapped files

        return Files(self._options, self._warn, self._vdsos)

    def resolve(self, addresses: Addresses) -> list[Location]:
        """Returns the location of each code address; n elements."""
        locations = self._resolve(addresses, self._mapped, self._read_code)
        self._resolve_jit(addresses, locations)
        return locations

    def resolve_data(self, addresses: Addresses) -> list[Location]:
        """Returns the location of each data address; its symbol is a variable."""
        return self._resolve(addresses, self._mapped_data, self._read_data)

    def resolve_files(
        self,
        files: dict[int, CookieFile],
        cookies: U64s,
        offsets: U64s,
    ) -> list[Location]:
        """Returns the location of each offset in its cookie's file; n elements."""
        locations = [Location(UNKNOWN)] * offsets.size
        hits = []
        for which in split(np.arange(cookies.size), cookies):
            file = files.get(int(cookies[which[0]]))
            if file is not None:
                whole = Mapping(
                    0, U64_MAX, 0, file.path, file.build_id, state=file.state
                )
                hits.append(_Hit(whole, which, offsets[which]))
        self._resolve_hits(hits, self._read_code, locations)
        return locations

    def resolve_kernel(
        self, symbols: Sequence[KernelSymbol], ips: U64s
    ) -> list[Location]:
        """Returns the location of each address, which is in a symbol; n elements."""
        self._names.learn(symbol.name for symbol in symbols)
        return [self._in_kernel(*pair) for pair in zip(symbols, ips.tolist())]

    def _in_kernel(self, symbol: KernelSymbol, ip: int) -> Location:
        if not symbol.name:
            return Location(symbol.object, offset=ip)
        there = _Place(ip, Symbol(symbol.name, symbol.start, symbol.start))
        return self._location(symbol.object, None, there)

    def file(self, location: Location) -> Optional[ElfFile]:
        """Returns the ELF file of a location, or None."""
        return self._files.open(location.build_id, [location.object], location.state)

    def _resolve(
        self,
        addresses: Addresses,
        mapped: Callable[[ProcessMaps, U64s], Iterator[_Hit]],
        read: _Read,
    ) -> list[Location]:
        locations = [Location(UNKNOWN)] * addresses.ip.size
        in_kernel = addresses.ip >= np.uint64(KERNEL_START)
        self._resolve_kernel(addresses, np.flatnonzero(in_kernel), locations)
        hits = self._hits(addresses, np.flatnonzero(~in_kernel), mapped)
        self._resolve_hits(hits, read, locations)
        return locations

    def _resolve_kernel(
        self, addresses: Addresses, which: Ids, out: list[Location]
    ) -> None:
        if not which.size:
            return
        from ..capture.kallsyms import KernelSymbols  # only for samples of the kernel

        kernel = self._kernel or KernelSymbols(b"", 0)
        ips = addresses.ip[which]
        for at, place in zip(
            which.tolist(), self.resolve_kernel(kernel.find(ips), ips)
        ):
            out[at] = place

    def _resolve_jit(self, addresses: Addresses, out: list[Location]) -> None:
        """Resolves addresses that are not in a file: JIT-compiled code."""
        if not len(self._jit):
            return
        elsewhere = [at for at, place in enumerate(out) if _in_no_file(place)]
        found = {
            at: addresses.generated[at] for at in elsewhere if at in addresses.generated
        }
        which = np.array([at for at in elsewhere if at not in found], np.intp)
        for of_process in split(which, addresses.tgid[which]):
            symbols = self._jit.find(int(addresses.tgid[of_process[0]]))
            if symbols is not None:
                rows = symbols.find(addresses.ip[of_process])
                for at, row in zip(of_process.tolist(), rows.tolist()):
                    if row != NONE:
                        found[at] = symbols.function(row)
        for at, function in found.items():
            if function is not None:
                ip = int(addresses.ip[at])
                out[at] = Location(JIT, function.name, offset=ip, start=function.start)

    def _hits(
        self,
        addresses: Addresses,
        user: Ids,
        mapped: Callable[[ProcessMaps, U64s], Iterator[_Hit]],
    ) -> Iterator[_Hit]:
        """Yields mappings that contain addresses, with file offsets.

        ``user`` has the indices of the addresses to look up.
        """
        for space in split(user, addresses.epoch[user], addresses.tgid[user]):
            epoch, tgid = addresses.epoch[space[0]], addresses.tgid[space[0]]
            for maps in self._maps.candidates(int(tgid), int(epoch)):
                unknown = np.ones(space.size, np.bool_)
                for hit in mapped(maps, addresses.ip[space]):
                    unknown[hit.which] = False
                    yield hit._replace(which=space[hit.which])
                space = space[unknown]

    def _mapped(self, maps: ProcessMaps, ips: U64s) -> Iterator[_Hit]:
        found = maps.find(ips)
        hits = np.flatnonzero(found >= 0)
        for hit in split(hits, found[hits]):
            mapping = maps.mappings[found[hit[0]]]
            yield _Hit(mapping, hit, ips[hit] + _shift(mapping))

    def _mapped_data(self, maps: ProcessMaps, ips: U64s) -> Iterator[_Hit]:
        """Like _mapped(), but anonymous memory after a file may be the file's bss."""
        for hit in self._mapped(maps, ips):
            at = maps.mappings.index(hit.mapping)
            before = maps.mappings[max(0, at - 1)]
            is_behind = before.path.startswith("/") and before.end == hit.mapping.start
            if hit.mapping.path or not is_behind:
                yield hit
            else:
                offsets = ips[hit.which] + _shift(before)
                yield _Hit(before, hit.which, offsets, sure=False)

    def _resolve_hits(
        self, found: Iterable[_Hit], read: _Read, out: list[Location]
    ) -> None:
        """Resolves addresses in mapped files, file by file."""
        files: dict[object, list[_Hit]] = {}
        for hit in found:
            mapping = hit.mapping
            key = file_key(mapping.build_id, mapping.path, mapping.state)
            files.setdefault(key, []).append(hit)
        for hits in files.values():
            self._resolve_file(hits, read, out)

    def _resolve_file(self, hits: list[_Hit], read: _Read, out: list[Location]) -> None:
        """Resolves the addresses in one file, which may have several names."""
        build_id, state = hits[0].mapping.build_id, hits[0].mapping.state
        every = np.concatenate([hit.offsets for hit in hits])
        offsets, inverse = np.unique(every, return_inverse=True)
        places = [NOTHING] * offsets.size
        sure = all(hit.sure for hit in hits)
        if self._detail is not Detail.OBJECT or not sure:
            file = self._files.open(build_id, {hit.mapping.path for hit in hits}, state)
            if file is not None:
                if not file.has_code:
                    file.place_code(self._maps.code_of(hits[0].mapping))
                places = read(file, offsets)
                if self._detail.includes(Detail.LINE):
                    self._tell_lack(file, hits[0].mapping.path)
                self._names.learn(_names_in(places))
        done = 0
        for hit in hits:
            name = hit.mapping.path or UNKNOWN
            made: dict[int, Location] = {}  # by id() of the _Place
            for index, at in zip(hit.which.tolist(), inverse[done:].tolist()):
                place = places[at]
                if hit.sure or place is not NOTHING:
                    known = made.get(id(place))
                    if known is None:
                        known = self._location(name, build_id, place, state)
                        made[id(place)] = known
                    out[index] = known
            done += hit.which.size

    def _tell_lack(self, file: ElfFile, path: str) -> None:
        """Warns once if debug information of a file cannot be read."""
        lack = file.lacks()
        if lack and path not in self._told:
            self._told.add(path)
            text = f"its debug information {lack}: source lines are missing"
            self._warn(f"{path}: {text}")

    def _read_code(self, file: ElfFile, offsets: U64s) -> list[_Place]:
        addresses, there = file.addresses(offsets)
        known = addresses[there]
        if self._detail is Detail.FUNCTION:
            return _in_functions(file.functions(known), there)
        columns: list[Sequence[object]] = [known.tolist(), file.functions(known)]
        if self._detail.includes(Detail.LINE):
            columns.append(file.lines(known))
        if self._detail.includes(Detail.INLINES):
            columns.append(file.inlines(known))
        return _spread(columns, there)

    def _read_data(self, file: ElfFile, offsets: U64s) -> list[_Place]:
        addresses, there = file.addresses(offsets, code=False)
        known = addresses[there]
        columns: list[Sequence[object]] = [known.tolist()]
        if self._detail.includes(Detail.SYMBOL):
            columns.append(file.objects(known))
        return _spread(columns, there)

    def _location(
        self,
        where: str,
        build_id: Optional[bytes],
        place: _Place,
        state: Optional[FileState] = None,
    ) -> Location:
        name = mangled = start = None
        if place.symbol is not None:
            name, start = self._names[place.symbol.name], place.symbol.start
            mangled = None if name == place.symbol.name else place.symbol.name
        line = f"{place.line.file}:{place.line.number}" if place.line else None
        return Location(
            where,
            name,
            line,
            self._frames(place, name) if place.inlines else (),
            place.address,
            start,
            mangled,
            build_id,
            state,
        )

    def _frames(self, place: _Place, symbol: Optional[str]) -> tuple[Frame, ...]:
        """Returns the frames at an offset: inlined functions, then the outer one."""
        known = self._known_stacks.get((place.inlines, symbol))
        if known is None:
            frames = [self._frame(inlined) for inlined in place.inlines]
            if symbol is not None:
                # Use the symbol's name, as in profiles by function.
                frames[-1] = replace(frames[-1], function=symbol)
            known = self._known_stacks[place.inlines, symbol] = tuple(frames)
        return known

    def _frame(self, inlined: Inlined) -> Frame:
        frame = self._known_frames.get(inlined)
        if frame is None:
            name = inlined.function and self._names[inlined.function]
            file, line = inlined.line or (None, None)
            frame = self._known_frames[inlined] = Frame(name, file, line)
        return frame


def _in_no_file(place: Location) -> bool:
    if place.build_id:
        return False
    return place.object == UNKNOWN or is_anonymous(place.object)


def _shift(mapping: Mapping) -> np.uint64:
    """Returns the difference between offsets in the file and addresses."""
    return np.uint64((mapping.offset - mapping.start) % (1 << 64))


def _spread(columns: Sequence[Sequence[Any]], there: NDArray[np.bool_]) -> list[_Place]:
    """Returns _Place objects from columns of values; NOTHING if not ``there``."""
    places = [NOTHING] * there.size
    for index, values in zip(np.flatnonzero(there).tolist(), zip(*columns)):
        places[index] = _Place(*values)
    return places


def _in_functions(
    functions: Sequence[Optional[Symbol]], there: NDArray[np.bool_]
) -> list[_Place]:
    """Returns one _Place per function, without address; NOTHING if not ``there``."""
    places, made = [NOTHING] * there.size, dict[Optional[Symbol], _Place]()
    for index, function in zip(np.flatnonzero(there).tolist(), functions):
        place = made.get(function)
        if place is None:
            place = made[function] = _Place(symbol=function)
        places[index] = place
    return places


def _names_in(places: Iterable[_Place]) -> Iterator[str]:
    for place in places:
        if place.symbol is not None:
            yield place.symbol.name
        for inlined in place.inlines:
            if inlined.function is not None:
                yield inlined.function
