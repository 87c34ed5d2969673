# SPDX-License-Identifier: MIT OR GPL-2.0
"""The n-way sampling format: entries of the default format in N regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional

import numpy as np

from ..capture.buffers import Buffers
from ..capture.session import Session
from ..errors import PfmParseError
from ..layout import Data, NDArray, bad_field, describe, integers, struct_dtype, table
from .decoding import Decoded, Format, Lost, Region
from .default import ENTRY
from .default_entries import Entries, Run, Span

VERSION = 1 << 16
MIN_REGIONS, MAX_REGIONS = 2, 64
MASK_WHEN_FULL = 0x1  # flag of the argument
FREE, FILLING, READY = 0, 1, 2  # states of a region
# The fields that determine the positions of regions.
GEOMETRY = (
    "hdr_version",
    "hdr_num_regions",
    "hdr_region_offs",
    "hdr_region_size",
    "hdr_buf_size",
)
ALIGN = 8  # bytes; alignment of regions and of their sizes

# pfm_nway_smpl_arg_t
ARG = struct_dtype(
    64,
    [
        ("buf_size", "<u8", 0),  # bytes
        ("buf_flags", "<u4", 8),
        ("num_regions", "<u4", 12),
        ("reserved", "6<u8", 16),
    ],
)

# pfm_nway_smpl_hdr_t
HDR = struct_dtype(
    128,
    [
        ("hdr_buf_size", "<u8", 0),  # bytes
        ("hdr_region_offs", "<u8", 8),  # bytes from the start of the buffer
        ("hdr_region_size", "<u8", 16),  # bytes
        ("hdr_min_region_space", "<u8", 24),  # bytes
        ("hdr_num_regions", "<u4", 32),
        ("hdr_version", "<u4", 36),  # major << 16 | minor
        ("hdr_buf_flags", "<u4", 40),
        ("hdr_cur_region", "<u4", 44),
        ("hdr_handed_out", "<u8", 48),  # regions
        ("hdr_freed", "<u8", 56),  # regions
        ("hdr_overwritten", "<u8", 64),  # samples
        ("hdr_dropped", "<u8", 72),  # samples
        ("hdr_reserved", "6<u8", 80),
    ],
)

# pfm_nway_smpl_rgn_t
RGN = struct_dtype(
    64,
    [
        ("rgn_seq", "<u8", 0),
        ("rgn_state", "<u4", 8),
        ("rgn_reserved1", "<u4", 12),
        ("rgn_count", "<u8", 16),  # entries
        ("rgn_size", "<u8", 24),  # bytes
        ("rgn_overwritten", "<u8", 32),  # samples
        ("rgn_dropped", "<u8", 40),  # samples
        ("rgn_reserved2", "2<u8", 48),
    ],
)


@dataclass(frozen=True)
class _Filling:
    """A region in a buffer; ``start`` is the offset of its first byte."""

    number: int
    start: int
    seq: int
    state: int
    count: int
    size: int

    def field(self, name: str, message: str) -> PfmParseError:
        """Returns an error about a field of the region's header."""
        at = HDR.itemsize + self.number * RGN.itemsize
        return bad_field(RGN, name, f"region {self.number}: {message}", at)


@dataclass(frozen=True)
class _Read:
    """The decoded part of a region: its seq, the number of entries, and their bytes."""

    seq: int = 0
    count: int = 0
    size: int = 0


class Decoder:
    """Decodes the buffers of one context.

    A copy can contain a region that is still being filled. So the decoder remembers how
    much of each region it has decoded: the next copy may have more samples of the
    region.
    """

    def __init__(self, session: Session) -> None:
        self._entries = Entries(ENTRY, session)
        self._read: dict[int, _Read] = {}

    def __call__(self, data: Data) -> Decoded:
        """Returns the samples that are new in this buffer, oldest region first."""
        header = _header(data)
        number = header["hdr_num_regions"]
        raw = table(data, RGN, number, HDR.itemsize, "the table of regions")
        regions: list[Region] = []
        problems: list[PfmParseError] = []
        for filling in sorted(_fillings(header, raw), key=lambda f: f.seq):
            try:
                self._decode(data, filling, header, regions, problems)
            except PfmParseError as problem:
                problems.append(problem)
        return Decoded(tuple(regions), tuple(problems), _lost(header, raw))

    def together(self, buffers: Buffers) -> Optional[Decoded]:
        """Returns the samples of several buffers if all regions are new and valid."""
        filled = _Filled.of(buffers, self._entries.size)
        if filled is None:
            return None
        last = {number: self._read.get(number, _Read()) for number in filled.numbers}
        for number, read in zip(filled.numbers, filled.reads):
            if read.seq <= last[number].seq:
                return None
            last[number] = read
        regions: tuple[Region, ...] = ()
        if filled.numbers:
            samples = self._entries.all_of(filled.entries, 0, filled.counts)
            if samples is None:
                return None
            regions = (Region(0, samples),)
        self._read.update(last)
        return Decoded(regions, (), filled.lost)

    def _decode(
        self,
        data: Data,
        filling: _Filling,
        header: Mapping[str, int],
        regions: list[Region],
        problems: list[PfmParseError],
    ) -> None:
        """Decodes the new entries of a region."""
        if filling.state == FREE or filling.seq == 0:
            return
        if filling.state not in (FILLING, READY):
            raise filling.field("rgn_state", f"{filling.state} is unknown")
        if filling.size > header["hdr_region_size"]:
            text = f"{filling.size} is more than hdr_region_size"
            raise filling.field("rgn_size", text)
        read = self._read.get(filling.number, _Read())
        if filling.seq < read.seq:
            before = f"{read.seq}, its value in the previous copy of the buffer"
            raise filling.field("rgn_seq", f"{filling.seq} is less than {before}")
        if filling.seq > read.seq:
            read = _Read(filling.seq)
        if filling.count <= read.count:
            return
        end = min(filling.start + filling.size, len(data))
        start = filling.start + read.size
        run = self._entries.find(data, Span(start, end, filling.count - read.count))
        found = read.count + run.samples.count
        size = run.stop - filling.start
        self._read[filling.number] = _Read(filling.seq, found, size)
        regions.append(Region(filling.number, run.samples))
        problem = _problem(filling, run, found, len(data))
        if problem is not None:
            problems.append(problem)


@dataclass(frozen=True)
class _Filled:
    """The full regions of several buffers in the order in which they were filled.

    ``entries`` has the position of each region's entries, ``counts`` the number of
    entries. ``numbers`` are the regions' numbers; ``reads`` are the regions' states
    after decoding. ``lost`` has the losses that the last buffer reports.
    """

    entries: Buffers
    counts: NDArray[np.intp]
    numbers: list[int]
    reads: list[_Read]
    lost: Lost

    @classmethod
    def of(cls, buffers: Buffers, entry: int) -> Optional[_Filled]:
        """Returns the full regions; each of their entries has ``entry`` bytes.

        Returns None if the buffers' headers differ, or if a region is invalid.
        """
        try:
            header = _header(buffers.first())
        except PfmParseError:
            return None
        number = header["hdr_num_regions"]
        table_of = np.dtype([("header", HDR), ("regions", RGN, (number,))])
        if (buffers.sizes < table_of.itemsize).any():
            return None
        heads = buffers.heads(table_of)
        if any((heads["header"][n] != header[n]).any() for n in GEOMETRY):
            return None
        raw = heads["regions"]
        buffer, region = np.nonzero(
            (raw["rgn_state"] != FREE) & (raw["rgn_seq"] != 0) & (raw["rgn_count"] != 0)
        )
        order = np.lexsort((raw["rgn_seq"][buffer, region], buffer))
        buffer, region = buffer[order], region[order]
        rows = raw[buffer, region]
        starts = header["hdr_region_offs"] + region * header["hdr_region_size"]
        counts, sizes = rows["rgn_count"], rows["rgn_size"]
        # These checks keep the product below within 64 bits.
        usual = (rows["rgn_state"] == READY) & (counts <= sizes)
        usual &= sizes <= header["hdr_region_size"]
        usual &= sizes == counts * np.uint64(entry)
        usual &= starts + sizes.astype(np.intp) <= buffers.sizes[buffer]
        if not usual.all():
            return None
        words = (rows[n].tolist() for n in ("rgn_seq", "rgn_count", "rgn_size"))
        return cls(
            buffers.within(buffer, starts, sizes.astype(np.intp)),
            counts.astype(np.intp),
            region.tolist(),
            [_Read(*read) for read in zip(*words)],
            _last_lost(heads[-1]),
        )


def _last_lost(head: np.void) -> Lost:
    """Returns the losses that a buffer reports."""
    data = head.tobytes()
    header = integers(data, HDR, 0, "the buffer's header")
    number = header["hdr_num_regions"]
    return _lost(header, table(data, RGN, number, HDR.itemsize, "the table of regions"))


def _header(data: Data) -> Mapping[str, int]:
    """Returns the header; makes all checks that need only the header."""
    header = integers(data, HDR, 0, "the buffer's header")
    if header["hdr_version"] != VERSION:
        raise _bad(header, "hdr_version", f"is not {VERSION:#x}")
    number, size = header["hdr_num_regions"], header["hdr_region_size"]
    if not MIN_REGIONS <= number <= MAX_REGIONS:
        text = f"is not from {MIN_REGIONS} to {MAX_REGIONS}"
        raise _bad(header, "hdr_num_regions", text)
    if size % ALIGN:
        raise _bad(header, "hdr_region_size", f"is not a multiple of {ALIGN}")
    start, first = header["hdr_region_offs"], HDR.itemsize + number * RGN.itemsize
    if start < first or start % ALIGN:
        text = f"is not a multiple of {ALIGN} that is at least {first}"
        raise _bad(header, "hdr_region_offs", text)
    end = start + number * size
    if end > header["hdr_buf_size"]:
        raise _bad(header, "hdr_buf_size", f"is too small: the regions end at {end}")
    return header


def _bad(header: Mapping[str, int], field: str, message: str) -> PfmParseError:
    return bad_field(HDR, field, f"{header[field]:#x} {message}")


def _fillings(header: Mapping[str, int], raw: list[dict[str, int]]) -> list[_Filling]:
    start, size = header["hdr_region_offs"], header["hdr_region_size"]
    return [
        _Filling(
            number=number,
            start=start + number * size,
            seq=region["rgn_seq"],
            state=region["rgn_state"],
            count=region["rgn_count"],
            size=region["rgn_size"],
        )
        for number, region in enumerate(raw)
    ]


def _lost(header: Mapping[str, int], raw: list[dict[str, int]]) -> Lost:
    return Lost(
        {
            "overwritten": header["hdr_overwritten"],
            "dropped": header["hdr_dropped"],
        },
        tuple(
            {
                "overwritten": region["rgn_overwritten"],
                "dropped": region["rgn_dropped"],
            }
            for region in raw
        ),
    )


def _problem(
    filling: _Filling, run: Run, found: int, size: int
) -> Optional[PfmParseError]:
    """Returns an error if a region and its entries contradict each other, or None."""
    number, end = filling.number, filling.start + filling.size
    if found < filling.count and run.unknown:
        text = (
            f"region {number}: entry {found} has a PMD that does not sample in the "
            "session"
        )
        return PfmParseError(text, run.stop)
    if found < filling.count and size < end:
        text = (
            f"the buffer ends here instead of at {end}; {found} of {filling.count} "
            f"entries of region {number} are whole"
        )
        return PfmParseError(text, size, truncated=True)
    # While a region is being filled, its size may already include a sample that its
    # count does not include yet.
    if found < filling.count or (filling.state == READY and run.stop != end):
        text = (
            f"region {number}: {found} entries end here, but rgn_count is "
            f"{filling.count} and rgn_size {filling.size}"
        )
        return PfmParseError(text, run.stop)
    return None


def _describe_arg(arg: bytes) -> Optional[Mapping[str, object]]:
    values = describe(arg, ARG)
    if values is None:
        return None
    return {**values, "mask_when_full": bool(values["buf_flags"] & MASK_WHEN_FULL)}


FORMATS = (
    Format(
        name="n-way",
        uuid="70fa5e60-0e12-4a8b-8a49-beac1a9d51ce",
        decoder=Decoder,
        describe_arg=_describe_arg,
        dtypes={"argument": ARG, "header": HDR, "region": RGN, "entry": ENTRY},
        joined=True,
    ),
)
