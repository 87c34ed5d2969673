# SPDX-License-Identifier: MIT OR GPL-2.0
"""What a report counts: where the code or the data is."""

from __future__ import annotations

from collections import defaultdict
from typing import Callable, Iterable, Iterator, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

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
}
DETAILS = {"line": Detail.LINE, "image": Detail.OBJECT, "data-address": Detail.OBJECT}

NO_TGID = (1 << 32) - 1  # no process has it
KERNEL_TGID = NO_TGID - 1  # nor this
NO_COOKIE = 0


class Locations:
    """Counts by function, address, line, image or data address.

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
        if self._by == "data-address":
            at = samples.column("dla")
        else:
            at = samples.column("event_ip" if samples.has("event_ip") else "ip")
        files = _in_files(samples)
        if files is None:
            self._addresses.add(_spaces(samples, batch.epoch), at)
            return
        cookies = samples.column("cookie")
        if files.all():
            self._files.add(cookies, at)
            return
        self._files.add(cookies[files], at[files])
        spaces = _spaces(samples, batch.epoch)
        self._addresses.add(spaces[~files], at[~files])

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
    if not samples.has("tgid"):
        space = np.uint64(NO_TGID | epoch << 32)
        return np.broadcast_to(space, (samples.count,))
    # Negative process IDs must not spill into the epoch.
    tgid = samples.column("tgid").astype(np.uint32, copy=False)
    if not samples.has("kernel") and samples.count and (tgid == tgid[0]).all():
        # Often there is only one process: one number instead of a column.
        space = np.uint64(int(tgid[0]) | epoch << 32)
        return np.broadcast_to(space, (samples.count,))
    if samples.has("kernel"):
        tgid = np.where(samples.column("kernel"), np.uint32(KERNEL_TGID), tgid)
    return tgid | np.uint64(epoch << 32) if epoch else tgid


def _in_files(samples: Samples) -> Optional[NDArray[np.bool_]]:
    """Which samples are offsets in a file, None if the format has no cookies."""
    if not samples.has("cookie"):
        return None
    files: NDArray[np.bool_] = samples.column("cookie") != NO_COOKIE
    files &= samples.column("kernel") == 0
    return files


def _addresses(space: U64s, ip: U64s, recording: Recording) -> Addresses:
    """The addresses that were counted, with the process if it was not recorded."""
    tgid = space & np.uint64(NO_TGID)
    only = recording.source.maps.only_tgid()
    if only is not None:
        tgid[tgid == NO_TGID] = only
    return Addresses(space >> np.uint64(32), tgid, ip)
