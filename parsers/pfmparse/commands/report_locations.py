# SPDX-License-Identifier: MIT OR GPL-2.0
"""What a report counts: where the code or the data is."""

from __future__ import annotations

from collections import defaultdict
from typing import Callable, Iterable, Iterator, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from ..formats.roles import Role
from ..formats.samples import Column, Samples
from ..recording import Batch, Recording
from ..symbols.resolver import UNKNOWN, Addresses, Detail, Location, Resolver
from .pair_counts import PairCounts, U64s
from .report_keys import Row

TITLES = {
    "function": "function (object)",
    "ip": "ip function (object)",
    "line": "line function (object)",
    "image": "image",
    "data-address": "data address (object)",
    "caller": "caller (object)",
}
SAME = {"address": "ip"}  # the names of the roles
DETAILS = {"line": Detail.LINE, "image": Detail.OBJECT, "data-address": Detail.OBJECT}

NO_TGID = (1 << 32) - 1  # no process has it
KERNEL_TGID = NO_TGID - 1  # nor this
NO_COOKIE = 0
ELSEWHERE = ("data-address", "caller")  # whatever file or level the sample is in


class Locations:
    """Counts by function, address, line, image, data address or caller.

    Addresses are counted by address space, which is epoch of the mappings << 32 |
    tgid; offsets in files are counted by the file's cookie.
    """

    def __init__(
        self, by: str, symfs: Sequence[str], warn: Callable[[str], None]
    ) -> None:
        """``symfs`` and ``warn`` are as for the Resolver."""
        self.title = TITLES[by]
        self._by = by
        self._symfs = symfs
        self._warn = warn
        self._addresses = PairCounts()
        self._files = PairCounts()

    def add(self, batch: Batch) -> None:
        """Counts samples."""
        samples = batch.samples
        weights = samples.weights()
        at = self._where(samples)
        if self._by in ELSEWHERE:
            self._addresses.add(_processes(samples, batch.epoch), at, weights)
            return
        files = _in_files(samples)
        if files is None:
            self._addresses.add(_spaces(samples, batch.epoch), at, weights)
            return
        cookies = samples.role(Role.FILE)
        if files.all():
            self._files.add(cookies, at, weights)
            return
        self._files.add(cookies[files], at[files], _some(weights, files))
        spaces = _spaces(samples, batch.epoch)
        self._addresses.add(spaces[~files], at[~files], _some(weights, ~files))

    def _where(self, samples: Samples) -> Column:
        """What is looked up, for each sample."""
        if self._by == "data-address":
            return samples.role(Role.DATA_ADDRESS)
        if self._by != "caller":
            return samples.role(Role.ADDRESS)
        if samples.chains is None:
            raise samples.lacks("call chains")
        callers = samples.chains.callers()
        # A call can be the last instruction of its function.
        return np.maximum(callers, np.uint64(1)) - np.uint64(1)

    def rows(self, recording: Recording) -> Iterable[Row]:
        """One row for each location; equal ones are added up."""
        source = recording.source
        detail = DETAILS.get(self._by, Detail.SYMBOL)
        resolver = Resolver(source.maps, source.kernel, self._symfs, detail, self._warn)
        sums: dict[tuple[Location, int], int] = defaultdict(int)
        spaces, ips, counts = self._addresses.result()
        found = resolver.resolve(_addresses(spaces, ips, recording))
        self._sum(sums, found, ips, counts)
        cookies, offsets, counts = self._files.result()
        found = resolver.resolve_files(source.cookies, cookies, offsets)
        self._sum(sums, found, offsets, counts)
        return self._images(sums) if self._by == "image" else self._rows(sums)

    def summary(self) -> Mapping[str, object]:
        """Nothing."""
        return {}

    def _sum(
        self,
        sums: dict[tuple[Location, int], int],
        locations: list[Location],
        ips: U64s,
        counts: U64s,
    ) -> None:
        apart = self._by in ("ip", "data-address")
        for location, ip, count in zip(locations, ips.tolist(), counts.tolist()):
            sums[location, ip if apart else 0] += count

    def _images(self, sums: Mapping[tuple[Location, int], int]) -> Iterator[Row]:
        images: dict[str, int] = defaultdict(int)
        for (location, _), count in sums.items():
            images[location.object] += count
        for image, count in images.items():
            yield Row(image, image, count, {})

    def _rows(self, sums: Mapping[tuple[Location, int], int]) -> Iterator[Row]:
        for (location, ip), count in sums.items():
            extra: dict[str, object] = {
                "symbol": location.symbol,
                "object": location.object,
            }
            name = location.symbol or location.object
            label = f"{location.symbol or UNKNOWN} ({location.object})"
            if self._by in ("ip", "data-address"):
                extra["address"] = ip
                name = f"{ip:#x}"
                label = f"{name} {label}"
            elif location.line is not None:
                name = location.line
                label = f"{name} {label}"
            yield Row(name, label, count, extra)


def _spaces(samples: Samples, epoch: int) -> Column:
    """The address space of each sample."""
    if samples.name_of(Role.KERNEL) is None:
        return _processes(samples, epoch)
    tgid: Column = np.full(samples.count, NO_TGID, np.uint32)
    if samples.name_of(Role.PROCESS) is not None:
        tgid = samples.role(Role.PROCESS).astype(np.uint32, copy=False)
    tgid = np.where(samples.role(Role.KERNEL), np.uint32(KERNEL_TGID), tgid)
    return tgid | np.uint64(epoch << 32) if epoch else tgid


def _processes(samples: Samples, epoch: int) -> Column:
    """The address space of each sample's process."""
    if samples.name_of(Role.PROCESS) is None:
        space = np.uint64(NO_TGID | epoch << 32)
        return np.broadcast_to(space, (samples.count,))
    # Negative process IDs must not spill into the epoch.
    tgid = samples.role(Role.PROCESS).astype(np.uint32, copy=False)
    if samples.count and (tgid == tgid[0]).all():
        # Often there is only one process: one number instead of a column.
        space = np.uint64(int(tgid[0]) | epoch << 32)
        return np.broadcast_to(space, (samples.count,))
    return tgid | np.uint64(epoch << 32) if epoch else tgid


def _in_files(samples: Samples) -> Optional[NDArray[np.bool_]]:
    """Which samples are offsets in a file, None if the format has no cookies."""
    if samples.name_of(Role.FILE) is None:
        return None
    files: NDArray[np.bool_] = samples.role(Role.FILE) != NO_COOKIE
    if samples.name_of(Role.KERNEL) is not None:
        files &= samples.role(Role.KERNEL) == 0
    return files


def _some(weights: Optional[Column], which: NDArray[np.bool_]) -> Optional[Column]:
    """The weights of some samples, None if they have none."""
    return None if weights is None else weights[which]


def _addresses(space: U64s, ip: U64s, recording: Recording) -> Addresses:
    """The addresses that were counted, with the process if it was not recorded."""
    tgid = space & np.uint64(NO_TGID)
    only = recording.source.maps.only_tgid()
    if only is not None:
        tgid[tgid == NO_TGID] = only
    return Addresses(space >> np.uint64(32), tgid, ip)
