# SPDX-License-Identifier: MIT OR GPL-2.0
"""Dense IDs for the addresses of samples, and their locations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Callable, Optional

import numpy as np

from ..capture.code import JitFunction, JitSymbols
from ..capture.overlaps import NONE
from ..formats.roles import Role
from ..formats.samples import Column, Samples, compact
from ..layout import NDArray, split
from ..recording import Batch, Recording
from ..symbols.location import Detail, Location, SymbolOptions
from ..symbols.resolver import Addresses, Resolver
from .columns import NOBODY
from .interner import Ids, Interner, U64s

if TYPE_CHECKING:
    from ..capture.kallsyms import KernelCode, KernelSymbol
    from ..symbols.elf_file import ElfFile

KERNEL_TGID = NOBODY - 1  # the kernel's address space; no process has this ID
NO_COOKIE = 0
FILE = 1 << 63  # set in a file's space; the other bits are the ID of the file's cookie
DATA = 1 << 62  # set in a space of data addresses; the other bits are as for code
KERNEL_CODE = 1 << 61  # set in a space of a KernelCode function, which has a number
GENERATED = 1 << 60  # like KERNEL_CODE, for a function that a process generated

Warn = Callable[[str], None]


class Places:
    """Assigns IDs to addresses in address spaces, and looks up their locations.

    An address with its space is called a place. A space is a number: it has the epoch
    of the mappings in its upper half, and the process ID in its lower half. A space may
    also stand for a file that a cookie identifies (see FILE); the address is then an
    offset in this file. If several functions were at the same address at different
    times, the address has a space for each function (see KERNEL_CODE and GENERATED).
    """

    def __init__(
        self, recording: Recording, options: SymbolOptions, detail: Detail, warn: Warn
    ) -> None:
        """``detail`` says what to look up; ``warn`` is the same as in Resolver."""
        source = recording.source
        self._recording = recording
        self._resolver = Resolver(
            source.maps,
            source.kernel,
            options,
            detail,
            warn,
            source.jit,
            source.vdsos,
        )
        self._interner = Interner()
        self._cookies = Interner()
        self._functions: dict[KernelSymbol, int] = {}  # see KERNEL_CODE
        # Functions and the spaces of their processes, see GENERATED.
        self._generated: dict[tuple[int, Optional[JitFunction]], int] = {}
        self._locations: list[Location] = []

    def __len__(self) -> int:
        return len(self._interner)

    def own(self, batch: Batch, unit: int = 1) -> Ids:
        """Returns the place IDs of the samples' addresses, rounded down to ``unit``."""
        at = batch.samples.role(Role.ADDRESS)
        return self._ids(batch, self._spaces(batch), _start(at, unit))

    def data(self, batch: Batch, unit: int = 1) -> Ids:
        """Returns the place IDs of data addresses, rounded down to ``unit``."""
        at = batch.samples.role(Role.DATA_ADDRESS)
        spaces = self._processes(batch) | np.uint64(DATA)
        return self._interner.ids(spaces, _start(at, unit))

    def branches(self, batch: Batch, role: Role) -> Ids:
        """Returns the place IDs of the source or target of each sample's newest branch.

        ``role`` is BRANCH_FROM for the source, BRANCH_TO for the target.
        """
        at = batch.samples.role(role)
        return self._ids(batch, self._processes(batch), _wide(at))

    def calls(
        self,
        batch: Batch,
        which: Ids,
        addresses: U64s,
        files: Optional[U64s] = None,
    ) -> Ids:
        """Returns the place IDs of the calls that return to ``addresses``.

        ``which`` has the index of the sample for each address; ``files`` is the same as
        in Chains. The byte before the return address is looked up: if a call is the
        last instruction of its function, the return address is outside of the function.
        """
        spaces = self._processes(batch)
        if spaces.size > 1:
            spaces = spaces[which]
        if files is not None and files.any():
            spaces = np.where(files != NO_COOKIE, self._files(files), spaces)
        one = np.uint64(1)
        return self._ids(batch, spaces, np.maximum(addresses, one) - one, which)

    def addresses(self) -> U64s:
        """Returns the addresses, indexed by ID."""
        return self._interner.pairs()[1]

    def locations(self) -> list[Location]:
        """Returns the locations, indexed by ID; looks up those of new IDs."""
        done = len(self._locations)
        if done < len(self):
            spaces, ips = (part[done:] for part in self._interner.pairs())
            self._locations += self._resolve(spaces, ips)
        return self._locations

    def elf(self, location: Location) -> Optional[ElfFile]:
        """Returns the ELF file of a location, or None."""
        return self._resolver.file(location)

    def some(self, ids: Ids) -> list[Location]:
        """Returns the locations of some IDs; looks them up without caching."""
        spaces, ips = self._interner.pairs()
        return self._resolve(spaces[ids], ips[ids])

    def _resolve(self, spaces: U64s, ips: U64s) -> list[Location]:
        found = np.empty(ips.size, object)
        in_file = spaces >= np.uint64(FILE)
        of_data = ~in_file & (spaces & np.uint64(DATA) != 0)
        in_kernel = ~in_file & (spaces & np.uint64(KERNEL_CODE) != 0)
        for which, resolve in (
            (in_file, self._resolve_files),
            (of_data, self._resolve_data),
            (in_kernel, self._resolve_kernel_code),
            (~in_file & ~of_data & ~in_kernel, self._resolve_code),
        ):
            if which.all():
                # Usually all are code addresses. Filling an array of objects would be
                # slow.
                return resolve(spaces, ips)
            if which.any():
                found[which] = _objects(resolve(spaces[which], ips[which]))
        return list(found)

    def _resolve_code(self, spaces: U64s, ips: U64s) -> list[Location]:
        return self._resolver.resolve(self._in_spaces(spaces, ips))

    def _resolve_kernel_code(self, spaces: U64s, ips: U64s) -> list[Location]:
        functions = list(self._functions)
        numbers = (spaces ^ np.uint64(KERNEL_CODE)).tolist()
        return self._resolver.resolve_kernel([functions[n] for n in numbers], ips)

    def _resolve_data(self, spaces: U64s, ips: U64s) -> list[Location]:
        spaces = spaces ^ np.uint64(DATA)
        return self._resolver.resolve_data(self._in_spaces(spaces, ips))

    def _resolve_files(self, spaces: U64s, offsets: U64s) -> list[Location]:
        numbers = (spaces ^ np.uint64(FILE)).astype(np.intp)
        cookies = self._cookies.pairs()[1][numbers]
        table = self._recording.source.cookies
        return self._resolver.resolve_files(table, cookies, offsets)

    def _in_spaces(self, spaces: U64s, ips: U64s) -> Addresses:
        known, generated = list(self._generated), dict[int, Optional[JitFunction]]()
        for at in np.flatnonzero(spaces & np.uint64(GENERATED)).tolist():
            spaces[at], generated[at] = known[int(spaces[at]) ^ GENERATED]
        tgids = self._known(spaces & np.uint64(NOBODY))
        return Addresses(spaces >> np.uint64(32), tgids, ips, generated)

    def _known(self, tgids: U64s) -> U64s:
        """Replaces unknown process IDs if the capture has only one process."""
        only = self._recording.source.maps.only_tgid()
        if only is not None:
            tgids[tgids == NOBODY] = only
        return tgids

    def _ids(
        self,
        batch: Batch,
        spaces: U64s,
        addresses: U64s,
        which: Optional[Ids] = None,
    ) -> Ids:
        """Returns the place IDs of code addresses; ``which`` is as in calls()."""
        source = self._recording.source
        if source.kernel_code is not None or source.jit.timed:
            times = _times(batch.samples, which)
            spaces = self._with_kernel_code(spaces, addresses, times)
            spaces = self._with_jit(spaces, addresses, times)
        return self._interner.ids(spaces, addresses)

    def _with_kernel_code(
        self, spaces: U64s, addresses: U64s, times: Optional[U64s]
    ) -> U64s:
        """Sets the space of each address in a KernelCode function."""
        code = self._recording.source.kernel_code
        if code is None:
            return spaces
        indices = code.find(addresses, times)
        at = np.flatnonzero((indices != NONE) & (spaces < np.uint64(FILE)))
        if at.size:
            spaces = np.broadcast_to(spaces, addresses.shape).copy()
            spaces[at] = _each(indices[at], partial(self._number, code))
        return spaces

    def _number(self, code: KernelCode, index: int) -> int:
        """Returns the space of a function that came or went during the recording."""
        function = code.symbol(index)
        return KERNEL_CODE | self._functions.setdefault(function, len(self._functions))

    def _with_jit(self, spaces: U64s, addresses: U64s, times: Optional[U64s]) -> U64s:
        """Sets the space of each address in a JIT-compiled function."""
        source = self._recording.source
        if times is None or not source.jit.timed or not len(source.clocks):
            return spaces
        spaces = np.broadcast_to(spaces, addresses.shape).copy()
        at = np.flatnonzero(spaces < np.uint64(KERNEL_CODE))
        for which in split(at, spaces[at]):
            (tgid,) = self._known(spaces[which[:1]] & np.uint64(NOBODY))
            symbols = source.jit.find(int(tgid))
            if symbols is not None:
                moments = source.clocks.perf_to_monotonic(times[which])
                rows = symbols.find(addresses[which], moments)
                within = partial(self._in, int(spaces[which[0]]), symbols)
                spaces[which] = _each(rows, within)
        return spaces

    def _in(self, space: int, symbols: JitSymbols, row: int) -> int:
        """Returns the space of a function of the process with this space."""
        key = space, None if row == NONE else symbols.function(row)
        return GENERATED | self._generated.setdefault(key, len(self._generated))

    def _spaces(self, batch: Batch) -> U64s:
        """Returns the address space of each sample's address.

        The shape is (n,), or (1,) if all spaces are equal.
        """
        samples = batch.samples
        files = _in_files(samples)
        if files is None or not files.any():
            return self._at_times(batch, _spaces(samples, batch.epoch))
        cookies = self._files(compact(samples.role(Role.FILE)))
        # Often all samples have cookies: do not compute the other spaces.
        if files.all():
            return cookies
        others = self._at_times(batch, _spaces(samples, batch.epoch))
        return np.where(files, cookies, others)

    def _processes(self, batch: Batch) -> U64s:
        """Returns each sample's process as an address space; shape (n,) or (1,)."""
        return self._at_times(batch, _processes(batch.samples, batch.epoch))

    def _at_times(self, batch: Batch, spaces: U64s) -> U64s:
        """Sets each space's epoch to the one at the sample's time, if that is known."""
        maps = self._recording.source.maps
        times = _times(batch.samples) if maps.timed else None
        if times is None:
            return spaces
        tgids = np.broadcast_to(spaces & np.uint64(NOBODY), times.shape)
        spaces = maps.epochs(tgids, times, batch.epoch) << np.uint64(32)
        return np.bitwise_or(spaces, tgids, out=spaces)

    def _files(self, cookies: Column) -> U64s:
        """Returns the space of each file; shape (n,), or (1,) if all are equal."""
        if cookies.size and (cookies == cookies[0]).all():
            cookies = cookies[:1]
        zero = np.zeros(1, np.uint64)
        numbers = self._cookies.ids(zero, _wide(cookies)).astype(np.uint64)
        return numbers | np.uint64(FILE)


def _times(samples: Samples, which: Optional[Ids] = None) -> Optional[U64s]:
    """Returns the times of some samples, by default of all; None if unknown."""
    if samples.name_of(Role.TIME) is None:
        return None
    times = _wide(samples.role(Role.TIME))
    return times if which is None else times[which]


def _each(values: Ids, convert: Callable[[int], int]) -> U64s:
    """Converts the values; calls ``convert`` once for each distinct value."""
    distinct, inverse = np.unique(values, return_inverse=True)
    return np.array([convert(value) for value in distinct.tolist()], np.uint64)[inverse]


def _wide(column: Column) -> U64s:
    return column.astype(np.uint64, copy=False)


def _start(column: Column, unit: int) -> U64s:
    """Rounds addresses down to multiples of ``unit``."""
    at = _wide(column)
    return at if unit == 1 else at - at % np.uint64(unit)


def _objects(locations: list[Location]) -> NDArray[np.object_]:
    """Returns the locations as an array of objects."""
    array = np.empty(len(locations), object)
    array[:] = locations
    return array


def _spaces(samples: Samples, epoch: int) -> U64s:
    """Returns each sample's address space; shape (n,), or (1,) if all are equal."""
    if samples.name_of(Role.KERNEL) is None:
        return _processes(samples, epoch)
    tgid: Column = np.full(1, NOBODY, np.uint32)
    if samples.name_of(Role.PROCESS) is not None:
        tgid = compact(samples.role(Role.PROCESS)).astype(np.uint32, copy=False)
    kernel = compact(samples.role(Role.KERNEL))
    tgid = np.where(kernel, np.uint32(KERNEL_TGID), tgid)
    return _wide(tgid) | np.uint64(epoch << 32)


def _processes(samples: Samples, epoch: int) -> U64s:
    """Returns each sample's process as an address space; shape (n,) or (1,)."""
    if samples.name_of(Role.PROCESS) is None:
        return np.array([NOBODY | epoch << 32], np.uint64)
    # The conversion to 32 bits keeps negative process IDs out of the epoch's bits.
    tgid = compact(samples.role(Role.PROCESS)).astype(np.uint32, copy=False)
    if samples.count and (tgid == tgid[0]).all():
        # Often there is only one process: use one number instead of a column.
        return np.array([int(tgid[0]) | epoch << 32], np.uint64)
    return _wide(tgid) | np.uint64(epoch << 32)


def _in_files(samples: Samples) -> Optional[NDArray[np.bool_]]:
    """Returns a mask of the samples whose addresses are offsets in files.

    Returns None if the format does not record cookies. The shape is (n,), or (1,) if
    the result is the same for all samples.
    """
    if samples.name_of(Role.FILE) is None:
        return None
    files: NDArray[np.bool_] = compact(samples.role(Role.FILE)) != NO_COOKIE
    if samples.name_of(Role.KERNEL) is not None:
        files = files & (compact(samples.role(Role.KERNEL)) == 0)
    return files
