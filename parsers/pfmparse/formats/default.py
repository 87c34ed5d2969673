# SPDX-License-Identifier: MIT OR GPL-2.0
"""The default sampling format (specification 3.6), in both published layouts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Callable, Mapping, Optional

import numpy as np

from ..capture.buffers import Buffers
from ..capture.session import Session
from ..errors import PfmParseError
from ..layout import Data, bad_field, field_names, integers, struct_dtype
from .decoding import Decoded, Format, Region
from .default_entries import Entries, Run, Span, as_samples, rows
from .samples import PmdGroup, Samples

if TYPE_CHECKING:
    from .raw_time import RawTime

NO_HDR = 0x1  # entries have no header
IIP_HDR = 0x2  # entry headers have only the ip
RAW_TIME = 0x4  # time stamps are raw, see perfmon_time.h

HDR_SIZE = 128  # bytes of the buffer's header in both layouts

# pfm_default_smpl_arg_t (3.6.2), perfmon 2.2
ARG = struct_dtype(
    64,
    [
        ("buf_size", "<u8", 0),  # bytes
        ("buf_flags", "<u4", 8),
        ("reserved1", "<u4", 12),
        ("reserved2", "6<u8", 16),
    ],
)
assert ARG.itemsize == 64

# pfm_default_smpl_hdr_t (3.6.3), perfmon 2.2
HDR = struct_dtype(
    128,
    [
        ("hdr_count", "<u8", 0),  # entries
        ("hdr_cur_offs", "<u8", 8),  # bytes from the start of the buffer
        ("hdr_overflows", "<u8", 16),  # times the buffer became full
        ("hdr_buf_size", "<u8", 24),  # bytes
        ("hdr_min_buf_space", "<u8", 32),  # bytes
        ("hdr_version", "<u4", 40),  # major << 16 | minor
        ("hdr_buf_flags", "<u4", 44),
        ("hdr_time_zero", "<u8", 48),  # ns
        ("hdr_time_mult", "<u4", 56),
        ("hdr_time_shift", "<u4", 60),  # bits
        ("hdr_reserved", "8<u8", 64),
    ],
)
assert HDR.itemsize == HDR_SIZE

# pfm_default_smpl_entry_t (3.6.4), perfmon 2.2
ENTRY = struct_dtype(
    40,
    [
        ("pid", "<u4", 0),  # thread
        ("ovfl_pmd", "<u2", 4),
        ("reserved", "<u2", 6),
        ("last_reset_val", "<u8", 8),  # events
        ("ip", "<u8", 16),  # address
        ("tstamp", "<u8", 24),  # ns
        ("cpu", "<u2", 32),
        ("set", "<u2", 34),
        ("tgid", "<u4", 36),  # process
    ],
)
assert ENTRY.itemsize == 40

# The entry's header with IIP_HDR.
IIP_ENTRY = struct_dtype(8, [("ip", "<u8", 0)])  # address
assert IIP_ENTRY.itemsize == 8

# The entry's header with NO_HDR.
NO_ENTRY = struct_dtype(0, [])
assert NO_ENTRY.itemsize == 0

# The buffer's header, perfmon 2.0 on ia64
IA64_HDR = struct_dtype(
    128,
    [
        ("hdr_count", "<u8", 0),  # entries
        ("hdr_cur_offs", "<u8", 8),  # bytes from the start of the buffer
        ("hdr_reserved1", "<u8", 16),
        ("hdr_overflows", "<u8", 24),  # times the buffer became full
        ("hdr_buf_size", "<u8", 32),  # bytes
        ("hdr_version", "<u4", 40),  # major << 16 | minor
        ("hdr_reserved2", "<u4", 44),
        ("hdr_reserved3", "10<u8", 48),
    ],
)
assert IA64_HDR.itemsize == HDR_SIZE

# The entry's header, perfmon 2.0 on ia64
IA64_ENTRY = struct_dtype(
    40,
    [
        ("pid", "<i4", 0),  # thread
        ("reserved", "3<u1", 4),
        ("ovfl_pmd", "<u1", 7),
        ("last_reset_val", "<u8", 8),  # events
        ("ip", "<u8", 16),  # address
        ("tstamp", "<u8", 24),  # ticks of the interval time counter
        ("cpu", "<u2", 32),
        ("set", "<u2", 34),
        ("tgid", "<i4", 36),  # process
    ],
)
assert IA64_ENTRY.itemsize == 40


@dataclass(frozen=True)
class Layout:
    """A published layout: dtypes, and the version that the header must have."""

    header: np.dtype[np.void]
    entry: np.dtype[np.void]
    version: int


PERFMON_2_2 = Layout(HDR, ENTRY, 1 << 16)
PERFMON_2_0_IA64 = Layout(IA64_HDR, IA64_ENTRY, 2 << 16)


@dataclass(frozen=True)
class Header:
    """The contents of a buffer's header (3.6.3).

    ``count`` is the number of entries; the last one ends at byte ``cur_offs``.
    ``time`` converts raw time stamps of entries; it is None if time stamps are in ns.
    """

    count: int
    cur_offs: int
    flags: int
    time: Optional[RawTime] = None


class Decoder:
    """Decodes buffers of one session in one layout."""

    def __init__(self, layout: Layout, session: Session) -> None:
        self._layout = layout
        self._entries = Entries(layout.entry, session)
        self._add_to: Optional[Callable[[Samples], Samples]] = None
        if layout is PERFMON_2_0_IA64:
            from .ear import Ears  # slow to import, and rarely needed

            self._add_to = Ears(session).add_to

    def __call__(self, data: Data) -> Decoded:
        """Returns the samples in a buffer; ``data`` may lack the buffer's end."""
        header = self._header(data)
        span = Span(HDR_SIZE, min(header.cur_offs, len(data)), header.count)
        if header.flags & (NO_HDR | IIP_HDR):
            run = self._same_list(data, header, span)
        else:
            run = self._entries.find(data, span)
        problem = _problem(header, run, len(data))
        samples = header.time.converted(run.samples) if header.time else run.samples
        return Decoded((self._region(samples),), (problem,) if problem else ())

    def together(self, buffers: Buffers) -> Optional[Decoded]:
        """Returns the samples of several buffers if all of them match their headers."""
        if (buffers.sizes < HDR_SIZE).any():
            return None
        raw, sizes = buffers.heads(self._layout.header), buffers.sizes.astype(np.uint64)
        ends, counts = raw["hdr_cur_offs"], raw["hdr_count"]
        usual = raw["hdr_version"] == self._layout.version
        usual &= (ends <= raw["hdr_buf_size"]) & (ends <= sizes)
        # This check prevents the product below from exceeding 64 bits.
        usual &= counts <= sizes
        usual &= ends == counts * np.uint64(self._entries.size) + np.uint64(HDR_SIZE)
        if "hdr_buf_flags" in field_names(raw.dtype):
            usual &= raw["hdr_buf_flags"] == 0
        if not usual.all():
            return None
        samples = self._entries.all_of(buffers, HDR_SIZE, counts.astype(np.intp))
        return None if samples is None else Decoded((self._region(samples),))

    def _region(self, samples: Samples) -> Region:
        return Region(0, samples if self._add_to is None else self._add_to(samples))

    def _header(self, data: Data) -> Header:
        """Returns the header; makes all checks that need only the header."""
        dtype = self._layout.header
        raw = integers(data, dtype, 0, "the buffer's header")
        version, flags = raw["hdr_version"], raw.get("hdr_buf_flags", 0)
        if version != self._layout.version:
            raise bad_field(dtype, "hdr_version", f"{version:#x} is unknown")
        if flags not in (0, NO_HDR, IIP_HDR, RAW_TIME):
            raise bad_field(dtype, "hdr_buf_flags", f"{flags:#x} is unknown")
        buf_size, cur_offs = raw["hdr_buf_size"], raw["hdr_cur_offs"]
        if not HDR_SIZE <= cur_offs <= buf_size:
            text = f"{cur_offs} is not from {HDR_SIZE} to hdr_buf_size {buf_size}"
            raise bad_field(dtype, "hdr_cur_offs", text)
        time = _raw_time(dtype, raw) if flags == RAW_TIME else None
        return Header(raw["hdr_count"], cur_offs, flags, time)

    def _same_list(self, data: Data, header: Header, span: Span) -> Run:
        """Decodes entries with short headers, which lack the PMD that overflowed."""
        entry = IIP_ENTRY if header.flags == IIP_HDR else NO_ENTRY
        lists = self._entries.kinds.lists
        if len(lists) != 1:
            text = (
                "entries without ovfl_pmd need one list of smpl_pmds, but the session "
                f"has {len(lists)}"
            )
            raise bad_field(self._layout.header, "hdr_buf_flags", text)
        pmds = lists[0]
        if entry.itemsize + len(pmds) == 0:
            raise bad_field(self._layout.header, "hdr_buf_flags", "entries are empty")
        found = rows(data, entry, len(pmds), span)
        group = PmdGroup(slice(None), pmds, found["pmds"])
        return Run(as_samples(found["entry"], (group,)), HDR_SIZE + found.nbytes)


def _raw_time(dtype: np.dtype[np.void], raw: Mapping[str, int]) -> RawTime:
    """Returns the conversion of raw time stamps that the buffer's header describes."""
    from .raw_time import MAX_SHIFT, RawTime  # only needed for raw time stamps

    mult, shift = raw["hdr_time_mult"], raw["hdr_time_shift"]
    if mult == 0:
        raise bad_field(dtype, "hdr_time_mult", "0 although time stamps are raw")
    if shift > MAX_SHIFT:
        raise bad_field(dtype, "hdr_time_shift", f"{shift} is more than {MAX_SHIFT}")
    return RawTime(raw["hdr_time_zero"], mult, shift)


def _problem(header: Header, run: Run, size: int) -> Optional[PfmParseError]:
    """Returns an error if entries and header contradict each other, or None."""
    found = run.samples.count
    if found < header.count and run.unknown:
        text = f"entry {found} has a PMD that does not sample in the session"
        return PfmParseError(text, run.stop)
    if found < header.count and size < header.cur_offs:
        text = (
            f"the buffer ends here instead of at hdr_cur_offs {header.cur_offs}; "
            f"{found} of {header.count} entries are whole"
        )
        return PfmParseError(text, size, truncated=True)
    if found < header.count or run.stop != header.cur_offs:
        text = (
            f"{found} entries end here, but hdr_count is {header.count} and "
            f"hdr_cur_offs {header.cur_offs}"
        )
        return PfmParseError(text, run.stop)
    return None


FORMATS = (
    Format(
        name="default",
        uuid="d139b29e-62e8-40e4-b402-73078792e937",
        decoder=partial(Decoder, PERFMON_2_2),
        dtypes={"argument": ARG, "header": HDR, "entry": ENTRY},
        joined=True,
    ),
    Format(
        name="default (perfmon 2.0, ia64)",
        uuid="4d72bec0-0664-4143-82b4-d3fd27243c97",
        decoder=partial(Decoder, PERFMON_2_0_IA64),
        dtypes={"argument": ARG, "header": IA64_HDR, "entry": IA64_ENTRY},
        joined=True,
    ),
)
