# SPDX-License-Identifier: MIT OR GPL-2.0
"""The sink: the common header of the buffers of many formats (perfmon_sink.h).

The header has the number and the positions of the records, the losses, and the number
of samples that the format skipped. The layout of a record depends on the format.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Iterator, Mapping, Optional

import numpy as np

from ..capture.session import Session
from ..errors import PfmParseError
from ..layout import Data, NDArray, bad_field, integers, struct_dtype, table, view
from ..text import amount
from .chains import Chains
from .decoding import Decoded, Decoder, Lost, Region
from .roles import Role
from .samples import Column, PmdGroup, Samples

MAGIC = int.from_bytes(b"pfm-sink", "little")
MAJOR = 1  # version of the header
MAX_REGIONS = 64
WORD = 8  # bytes; records are whole words
FREE, FILLING, READY = 0, 1, 2  # states of a region

# The reasons for losses, in the order of the elements of hdr_lost.
REASONS = ("full", "table", "registers", "other")

# pfm_sink_arg_t
SINK_ARGUMENT = struct_dtype(
    16,
    [
        ("buf_size", "<u8", 0),  # bytes
        ("num_regions", "<u4", 8),
        ("flags", "<u4", 12),
    ],
)

# pfm_sink_hdr_t
HDR = struct_dtype(
    128,
    [
        ("hdr_magic", "<u8", 0),
        ("hdr_version", "<u4", 8),  # major << 16 | minor
        ("hdr_fmt_version", "<u4", 12),  # of the records
        ("hdr_buf_size", "<u8", 16),  # bytes
        ("hdr_region_offs", "<u8", 24),  # bytes from the start of the buffer
        ("hdr_region_size", "<u8", 32),  # bytes
        ("hdr_max_record", "<u8", 40),  # bytes
        ("hdr_num_regions", "<u4", 48),
        ("hdr_flags", "<u4", 52),
        ("hdr_cur_region", "<u4", 56),
        ("hdr_more_offs", "<u4", 60),  # bytes from the start of the buffer, or 0
        ("hdr_fills", "<u8", 64),  # regions
        ("hdr_freed", "<u8", 72),  # regions
        ("hdr_past", "<u8", 80),  # samples
        ("hdr_overwritten", "<u8", 88),  # records
        ("hdr_lost", "4<u8", 96),  # samples
    ],
)

# pfm_sink_rgn_t
RGN = struct_dtype(
    32,
    [
        ("rgn_seq", "<u8", 0),
        ("rgn_count", "<u8", 8),  # records
        ("rgn_used", "<u8", 16),  # bytes
        ("rgn_state", "<u4", 24),
        ("rgn_reserved", "<u4", 28),
    ],
)

# pfm_sink_more_t
MORE = struct_dtype(
    32,
    [
        ("more_skipped", "<u8", 0),  # samples
        ("more_updates", "<u8", 8),  # odd while the kernel changes a record
        ("more_evicted", "<u8", 16),  # states of threads
        ("more_reserved", "<u8", 24),
    ],
)


class Records:
    """New records of a region: ``count`` records in ``data``.

    ``data`` start at byte ``offset`` of the buffer; each record starts at a multiple of
    8. ``version`` is the version of the records' layout. ``problem`` is an error if
    some records could not be read.

    If the buffer was copied while the kernel was writing, ``data`` may end with a part
    of a record that is not counted yet. ``found`` is the number of records that were
    found; they end at byte ``end`` of ``data``. fixed() and walk() set ``found`` and
    ``end``; a caller that uses neither function must set these fields itself.
    """

    def __init__(self, data: memoryview, count: int, offset: int, version: int) -> None:
        self.data = data
        self.count = count
        self.offset = offset
        self.version = version
        self.problem: Optional[PfmParseError] = None
        self.found = count
        self.end = len(data)

    def fixed(self, record: np.dtype[np.void]) -> NDArray[np.void]:
        """Returns the records, all of which have this layout and no further words."""
        stride = -(-record.itemsize // WORD) * WORD
        number = min(self.count, len(self.data) // stride)
        self._note(number, number * stride, len(self.data))
        return view(self.data, record, number, 0, stride)

    def walk(
        self,
        head: np.dtype[np.void],
        number_of: Callable[[NDArray[np.void]], NDArray[np.integer[Any]]],
    ) -> tuple[NDArray[np.void], NDArray[np.intp]]:
        """Finds the records, each of which has ``head`` and then 64-bit words.

        ``number_of`` returns the numbers of words for an array of heads. Returns the
        heads, and the offsets in ``data`` of the words after each head; both have shape
        (n,).
        """
        first = -(-head.itemsize // WORD)
        size = len(self.data) // WORD
        candidates = view(self.data, head, max(0, size - first + 1), 0, WORD)
        lengths = np.minimum(number_of(candidates), size + 1).astype(np.intp) + first
        starts, end = _follow(lengths, size, self.count)
        self._note(starts.size, end * WORD, end * WORD)
        return candidates[starts], (starts + first) * WORD

    def words(
        self, begins: NDArray[np.intp], numbers: NDArray[np.integer[Any]]
    ) -> tuple[NDArray[np.intp], NDArray[np.uint64]]:
        """Returns the words of each record: ``numbers`` words from byte ``begins`` on.

        The result is offsets and one array with all words, as in ``Chains``: the words
        of record i are ``words[offsets[i]:offsets[i + 1]]``.
        """
        all_words: NDArray[np.uint64] = np.ndarray(
            (len(self.data) // WORD,), "<u8", self.data
        )
        offsets = np.zeros(numbers.size + 1, np.intp)
        np.cumsum(numbers, out=offsets[1:])
        shifts = np.repeat(begins // WORD - offsets[:-1], np.diff(offsets))
        return offsets, all_words[np.arange(offsets[-1]) + shifts]

    def chains(
        self,
        begins: NDArray[np.intp],
        kernel: NDArray[np.intp],
        user: NDArray[np.intp],
    ) -> Chains:
        """Returns the call chains whose addresses begin at the bytes ``begins``.

        ``kernel`` and ``user`` are the numbers of addresses in the kernel and in user
        space. Omits the first address of each chain, which is the sample's own address.
        """
        own = np.minimum(kernel + user, 1)
        offsets, addresses = self.words(begins + WORD * own, kernel + user - own)
        return Chains(offsets, addresses, np.maximum(kernel - 1, 0))

    def _note(self, found: int, end: int, stop: int) -> None:
        """Stores how many records were found, and where they end.

        If records are missing, notes a problem at ``stop``.
        """
        self.found, self.end = found, end
        if found < self.count and self.problem is None:
            text = f"{found} of {self.count} records are whole"
            self.problem = PfmParseError(text, self.offset + stop)


Read = Callable[[Records], Samples]


class SinkDecoder:
    """Decodes the buffers of one context of a format with a sink."""

    def __init__(
        self, read: Read, version: Optional[int] = None, rising: bool = False
    ) -> None:
        """``version`` is the version of records that ``read`` supports, None for any.

        ``rising`` is set if the kernel increases weights, sums and histograms of
        existing records; ``read`` then also gets records that it has already got.
        """
        self._read = read
        self._version = version
        self._rising = rising
        # The rising columns of each region when it was last read: seq, columns.
        self._before: dict[int, tuple[int, dict[str, Column]]] = {}
        # The part of each region that was decoded: seq, records, bytes.
        self._seen: dict[int, tuple[int, int, int]] = {}

    def __call__(self, data: Data) -> Decoded:
        """Returns the new records, oldest region first."""
        header = self._header(data)
        number = header["hdr_num_regions"]
        raw = table(data, RGN, number, HDR.itemsize, "the table of regions")
        regions: list[Region] = []
        problems: list[PfmParseError] = []
        for at in sorted(range(number), key=lambda at: raw[at]["rgn_seq"]):
            try:
                records = self._new(memoryview(data), header, at, raw[at])
                if records is not None:
                    samples = self._read(records)
                    self._remember(at, records)
                    if self._rising:
                        samples = self._risen(at, raw[at]["rgn_seq"], samples)
                    regions.append(Region(at, samples))
                    problems += [records.problem] if records.problem else []
            except PfmParseError as problem:
                problems.append(problem)
        return Decoded(
            tuple(regions), tuple(problems), _lost(data, header), _skipped(data, header)
        )

    def _header(self, data: Data) -> dict[str, int]:
        """Returns the header of a buffer; checks the version of its records."""
        header = _header(data)
        version = header["hdr_fmt_version"]
        if self._version is not None and version >> 16 != self._version >> 16:
            number = f"{version >> 16}.{version & 0xFFFF}"
            text = f"version {number} is not supported, only {self._version >> 16}.x"
            raise bad_field(HDR, "hdr_fmt_version", text)
        return header

    def _new(
        self,
        data: memoryview,
        header: Mapping[str, int],
        number: int,
        region: Mapping[str, int],
    ) -> Optional[Records]:
        """Returns the new records of a region, or None."""
        seq, count, used = region["rgn_seq"], region["rgn_count"], region["rgn_used"]
        if seq == 0 or count == 0:
            return None
        at = HDR.itemsize + number * RGN.itemsize
        if used > header["hdr_region_size"]:
            raise bad_field(
                RGN,
                "rgn_used",
                f"region {number}: {used} is more than hdr_region_size",
                at,
            )
        if count > used // WORD:
            what = f"{amount(count, 'records')} in {amount(used, 'bytes')}"
            text = f"region {number}: no room for {what}"
            raise bad_field(RGN, "rgn_count", text, at)
        last, records, size = self._seen.get(number, (0, 0, 0))
        if seq < last:
            before = f"{last}, its value in the previous copy of the buffer"
            text = f"region {number}: {seq} is less than {before}"
            raise bad_field(RGN, "rgn_seq", text, at)
        if seq > last or self._rising:
            records = size = 0
        if count <= records or used < size:
            return None
        self._seen[number] = seq, records, size
        start = _start(header, number)
        content = data[start + size : start + used]
        version = header["hdr_fmt_version"]
        new = Records(content, count - records, start + size, version)
        if start + used > len(data):
            text = f"the buffer ends here instead of at {start + used}"
            new.problem = PfmParseError(text, len(data), truncated=True)
            new.end = used - size
        return new

    def _remember(self, number: int, records: Records) -> None:
        """Marks the records found in a region as decoded."""
        seq, before, size = self._seen[number]
        self._seen[number] = seq, before + records.found, size + records.end

    def _risen(self, number: int, seq: int, samples: Samples) -> Samples:
        """Replaces weights, sums and histograms of a region by their increases.

        Minima and maxima stay as they are: merging them again changes nothing.
        """
        columns = {name: samples.column(name).copy() for name in _rising(samples)}
        last, before = self._before.get(number, (0, columns))
        self._before[number] = seq, columns
        if last != seq:
            return samples
        risen = {name: _increase(now, before[name]) for name, now in columns.items()}
        return replace(samples, columns={**samples.fields(), **risen})


def _rising(samples: Samples) -> list[str]:
    """Returns the columns that the kernel increases.

    Raises ValueError if there are none.
    """
    weight = samples.name_of(Role.WEIGHT)
    names = [] if weight is None else [weight]
    names += samples.summaries(Role.SUM)
    if not names:
        raise ValueError("rising=True needs a column of the role WEIGHT or SUM")
    return names + samples.summaries(Role.LOG2)


def _increase(now: Column, before: Column) -> Column:
    """Returns by how much each number has increased since ``before``.

    Numbers without an earlier value have increased from 0.
    """
    risen = now.copy()
    known = slice(0, min(before.size, now.size))
    # In a damaged buffer, numbers may have decreased.
    risen[known] = now[known] - np.minimum(before[known], now[known])
    return risen


def sink_decoder(
    read: Callable[[Records, Session], Samples], version: int, rising: bool = False
) -> Callable[[Session], Decoder]:
    """Returns the ``Format.decoder`` of a format with a sink.

    ``read`` makes samples from records; ``version`` is the version of their layout. The
    decoder finds the new records, the losses, and problems of the buffer. ``rising`` is
    set if the kernel increases counts and sums of existing records, as in a table.
    ``read`` then gets all records each time, and the samples' weights, sums and
    histograms become the increases.
    """

    def decoder(session: Session) -> Decoder:
        return SinkDecoder(lambda records: read(records, session), version, rising)

    return decoder


def argument_field(session: Session, argument: np.dtype[np.void], name: str) -> int:
    """Returns a field of the format's argument; 0 if the session has no argument."""
    data = session.format.arg
    if len(data) < argument.itemsize:
        return 0
    return int(np.frombuffer(data, argument, 1)[name][0])


def has_tables(session: Session, argument: np.dtype[np.void]) -> bool:
    """Returns whether the kernel had unwind tables, according to unwind_fd."""
    return argument_field(session, argument, "unwind_fd") > 0


def is_sink(data: Data) -> bool:
    """Returns whether a buffer starts with a sink header of a supported version."""
    if len(data) < HDR.itemsize:
        return False
    header = integers(data, HDR, 0, "the sink's header")
    return header["hdr_magic"] == MAGIC and header["hdr_version"] >> 16 == MAJOR


def recorded(data: Data) -> Optional[int]:
    """Returns how many samples a sink has recorded, None if it has several regions.

    The number is then unknown, because a copy of the buffer may lack some regions'
    headers.
    """
    header = _header(data)
    if header["hdr_num_regions"] > 1:
        return None
    region = integers(data, RGN, HDR.itemsize, "the table of regions")
    return header["hdr_past"] + region["rgn_count"]


def _header(data: Data) -> dict[str, int]:
    """Returns the header; makes all checks that need only the header."""
    header = integers(data, HDR, 0, "the sink's header")
    if header["hdr_magic"] != MAGIC:
        raise bad_field(HDR, "hdr_magic", "not the magic number of a sink")
    if header["hdr_version"] >> 16 != MAJOR:
        raise bad_field(HDR, "hdr_version", f"{header['hdr_version']:#x} is unknown")
    number, start = header["hdr_num_regions"], header["hdr_region_offs"]
    if not 1 <= number <= MAX_REGIONS:
        text = f"{number} is not from 1 to {MAX_REGIONS}"
        raise bad_field(HDR, "hdr_num_regions", text)
    first = HDR.itemsize + number * RGN.itemsize
    if start < first or start % WORD:
        text = f"{start} is not a multiple of {WORD} that is at least {first}"
        raise bad_field(HDR, "hdr_region_offs", text)
    more = header["hdr_more_offs"]
    if more and not (first <= more <= start - MORE.itemsize and more % WORD == 0):
        last = start - MORE.itemsize
        text = f"{more} is neither 0 nor a multiple of {WORD} from {first} to {last}"
        raise bad_field(HDR, "hdr_more_offs", text)
    if header["hdr_region_size"] % WORD:
        text = f"{header['hdr_region_size']} is not a multiple of {WORD}"
        raise bad_field(HDR, "hdr_region_size", text)
    size, end = header["hdr_buf_size"], start + number * header["hdr_region_size"]
    if end > size:
        text = f"{size} is too small: the regions end at {end}"
        raise bad_field(HDR, "hdr_buf_size", text)
    return header


def _start(header: Mapping[str, int], number: int) -> int:
    return header["hdr_region_offs"] + number * header["hdr_region_size"]


def _lost(data: Data, header: Mapping[str, int]) -> Lost:
    numbers = view(data, HDR, 1, 0, HDR.itemsize)[0]["hdr_lost"].tolist()
    lost = dict(zip(REASONS, numbers))
    return Lost({"overwritten": header["hdr_overwritten"], **lost})


def _skipped(data: Data, header: Mapping[str, int]) -> int:
    """Returns how many samples the format skipped; 0 if that is not recorded."""
    more = header["hdr_more_offs"]
    if not more or len(data) < more + MORE.itemsize:
        return 0
    return integers(data, MORE, more, "the count of skipped samples")["more_skipped"]


def _follow(
    lengths: NDArray[np.intp], size: int, count: int
) -> tuple[NDArray[np.intp], int]:
    """Returns the starts of up to ``count`` records and the last one's end, in words.

    ``lengths[i]`` is the length in words of a record that would start at word i.
    ``size`` is the number of words of data.
    """
    if lengths.size == 0 or count == 0:
        return np.zeros(0, np.intp), 0
    stride = int(lengths[0])
    same = np.arange(min(count, size // stride)) * stride
    if same.size == count and (lengths[same] == stride).all():
        # No loop is needed if all records have the same length, as is usual.
        return same, same.size * stride
    starts: list[int] = []
    at, length_at = 0, lengths.tolist()
    while at < len(length_at) and len(starts) < count:
        if at + length_at[at] > size:
            break
        starts.append(at)
        at += length_at[at]
    return np.array(starts, np.intp), at


def pmd_groups(
    records: Records,
    session: Session,
    heads: NDArray[np.void],
    behind: NDArray[np.intp],
) -> Iterator[PmdGroup]:
    """Yields the PMD values of each kind of sample that has values.

    Each record's values are words that begin at its offset in ``behind``, of shape
    (n,). The session and the fields ``ovfl_pmd``, ``set`` and ``num_pmds`` of ``heads``
    determine the PMDs.
    """
    keys = heads["set"].astype(np.uint32) << 16 | heads["ovfl_pmd"]
    for event_set in session.sets:
        for pmd in event_set.pmds:
            pmds = pmd.smpl_pmds
            known = (keys == event_set.id << 16 | pmd.num) if pmd.sampling else False
            which = np.flatnonzero(known & (heads["num_pmds"] == len(pmds)))
            if pmds and which.size:
                _, values = records.words(behind[which], heads["num_pmds"][which])
                yield PmdGroup(which, pmds, values.reshape(which.size, len(pmds)))
