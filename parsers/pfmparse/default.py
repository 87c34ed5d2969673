# SPDX-License-Identifier: MIT OR GPL-2.0
"""The default sampling format (specification 3.6), in both published layouts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Iterator, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from .errors import PfmParseError
from .grouping import split
from .layout import Data, field_names, struct_dtype, view
from .samples import Column, Decoded, Format, PmdGroup, Samples
from .session import Session

NO_HDR = 0x1  # entries have no header
IIP_HDR = 0x2  # entry headers are the ip

WORD = 8  # bytes; entries are whole words
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
        ("hdr_cur_offs", "<u8", 8),  # bytes from the first of the buffer
        ("hdr_overflows", "<u8", 16),  # times the buffer became full
        ("hdr_buf_size", "<u8", 24),  # bytes
        ("hdr_min_buf_space", "<u8", 32),  # bytes
        ("hdr_version", "<u4", 40),  # major << 16 | minor
        ("hdr_buf_flags", "<u4", 44),
        ("hdr_reserved", "10<u8", 48),
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
        ("hdr_cur_offs", "<u8", 8),  # bytes from the first of the buffer
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
    """One published layout: dtypes, and the version that the header must carry."""

    header: np.dtype[np.void]
    entry: np.dtype[np.void]
    version: int


PERFMON_2_2 = Layout(HDR, ENTRY, 1 << 16)
PERFMON_2_0_IA64 = Layout(IA64_HDR, IA64_ENTRY, 2 << 16)


@dataclass(frozen=True)
class Header:
    """A buffer's header (3.6.3): entries, bytes, bytes, flags."""

    count: int
    cur_offs: int
    buf_size: int
    flags: int


@dataclass(frozen=True)
class Kinds:
    """The kinds of entries that a session records, one per sampling PMD and set.

    ``keys`` are set << 16 | PMD in increasing order, ``lists`` the distinct
    smpl_pmds; ``group`` gives each key's index in ``lists``.
    """

    keys: NDArray[np.uint32]
    group: NDArray[np.intp]
    lists: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, session: Session) -> Kinds:
        """The kinds of that session's entries."""
        smpl_pmds = {
            event_set.id << 16 | pmd.num: pmd.smpl_pmds
            for event_set in session.sets
            for pmd in event_set.pmds
            if pmd.sampling
        }
        lists = {pmds: i for i, pmds in enumerate(sorted(set(smpl_pmds.values())))}
        keys = sorted(smpl_pmds)
        return cls(
            np.array(keys, np.uint32),
            np.array([lists[smpl_pmds[key]] for key in keys], np.intp),
            tuple(lists),
        )

    def one_size(self) -> bool:
        """All entries have the same number of PMD values."""
        return len({len(pmds) for pmds in self.lists}) <= 1

    def groups_of(self, keys: NDArray[np.uint32]) -> NDArray[np.intp]:
        """Each key's index in ``lists``, -1 if no PMD records such an entry."""
        if self.keys.size == 0:
            return np.full(keys.shape, -1, np.intp)
        if self.keys.size == 1:
            return np.where(keys == self.keys[0], self.group[0], -1)
        found = np.searchsorted(self.keys, keys)
        found[found == self.keys.size] = 0
        return np.where(self.keys[found] == keys, self.group[found], -1)


def keys_of(entries: NDArray[np.void]) -> NDArray[np.uint32]:
    """set << 16 | ovfl_pmd of each entry; shape (n,)."""
    sets: NDArray[np.uint32] = entries["set"].astype(np.uint32)
    return (sets << np.uint32(16)) | entries["ovfl_pmd"].astype(np.uint32)


@dataclass(frozen=True)
class Run:
    """The entries that were found one after the other from the first on.

    ``stop`` is the offset in bytes behind the last one; ``unknown`` is set if an
    entry is there that no sampling PMD can have recorded.
    """

    samples: Samples
    stop: int
    unknown: bool


class Decoder:
    """Decodes buffers of one session in one layout."""

    def __init__(self, layout: Layout, session: Session) -> None:
        self._layout = layout
        self._kinds = Kinds.of(session)

    def __call__(self, data: Data) -> Decoded:
        """The samples in a buffer of which ``data`` are the first bytes."""
        header = self._header(data)
        end = min(header.cur_offs, len(data))
        if header.flags:
            run = self._same_list(data, header, end)
        elif self._kinds.one_size():
            run = self._one_size(data, header, end)
        else:
            run = self._many_sizes(data, header, end)
        return Decoded(run.samples, _problem(header, run, len(data)))

    def _header(self, data: Data) -> Header:
        """The header, once all that can be checked about it alone was checked."""
        dtype = self._layout.header
        if len(data) < HDR_SIZE:
            message = f"the buffer's header ends here, before byte {HDR_SIZE}"
            raise PfmParseError(message, len(data), truncated=True)
        raw = view(data, dtype, 1, 0, HDR_SIZE)[0]
        version = int(raw["hdr_version"])
        if version != self._layout.version:
            raise _bad(dtype, "hdr_version", f"{version:#x} is unknown")
        flags = int(raw["hdr_buf_flags"]) if "hdr_buf_flags" in raw.dtype.fields else 0
        if flags not in (0, NO_HDR, IIP_HDR):
            raise _bad(dtype, "hdr_buf_flags", f"{flags:#x} is unknown")
        buf_size, cur_offs = int(raw["hdr_buf_size"]), int(raw["hdr_cur_offs"])
        if not HDR_SIZE <= cur_offs <= buf_size:
            text = f"{cur_offs} is not from {HDR_SIZE} to hdr_buf_size {buf_size}"
            raise _bad(dtype, "hdr_cur_offs", text)
        return Header(int(raw["hdr_count"]), cur_offs, buf_size, flags)

    def _same_list(self, data: Data, header: Header, end: int) -> Run:
        """Entries whose shortened header does not tell which PMD overflowed."""
        entry = IIP_ENTRY if header.flags == IIP_HDR else NO_ENTRY
        if len(self._kinds.lists) != 1:
            text = (
                "entries without ovfl_pmd need one list of smpl_pmds, the session "
                f"has {len(self._kinds.lists)}"
            )
            raise _bad(self._layout.header, "hdr_buf_flags", text)
        pmds = self._kinds.lists[0]
        if entry.itemsize + len(pmds) == 0:
            raise _bad(self._layout.header, "hdr_buf_flags", "entries are empty")
        rows = _rows(data, entry, len(pmds), header.count, end)
        group = PmdGroup(slice(None), pmds, rows["pmds"])
        stop = HDR_SIZE + rows.nbytes
        return Run(_samples(rows["entry"], (group,)), stop, unknown=False)

    def _one_size(self, data: Data, header: Header, end: int) -> Run:
        """Entries of one size: views of the buffer, no copies."""
        values = len(self._kinds.lists[0]) if self._kinds.lists else 0
        rows = _rows(data, self._layout.entry, values, header.count, end)
        of = self._kinds.groups_of(keys_of(rows["entry"]))
        unknown = np.flatnonzero(of < 0)
        if unknown.size:
            rows, of = rows[: unknown[0]], of[: unknown[0]]
        groups = [
            PmdGroup(which, pmds, rows["pmds"][which])
            for which, pmds in self._members(of)
        ]
        stop = HDR_SIZE + rows.nbytes
        return Run(_samples(rows["entry"], groups), stop, unknown.size > 0)

    def _many_sizes(self, data: Data, header: Header, end: int) -> Run:
        """Entries of several sizes, found by going from one to the next.

        The key that each word of the buffer would have as the start of an entry
        is computed for all words at once; only following the entries is a loop.
        """
        entry, lists = self._layout.entry, self._kinds.lists
        words, head = (end - HDR_SIZE) // WORD, entry.itemsize // WORD
        candidates = view(data, entry, max(0, words - head + 1), HDR_SIZE, WORD)
        keys = keys_of(candidates)
        sizes = {
            key: head + len(lists[group])
            for key, group in zip(self._kinds.keys.tolist(), self._kinds.group.tolist())
        }
        starts, stop = _follow(keys, sizes, words, header.count)
        unknown = stop < keys.size and int(keys[stop]) not in sizes
        values: NDArray[np.uint64] = np.ndarray((words,), "<u8", data, HDR_SIZE)
        groups = [
            PmdGroup(which, pmds, _gather(values, starts[which] + head, len(pmds)))
            for which, pmds in self._members(self._kinds.groups_of(keys[starts]))
        ]
        entries = _gather(values, starts, head).view(entry)[:, 0]
        return Run(_samples(entries, groups), HDR_SIZE + stop * WORD, unknown)

    def _members(
        self, of: NDArray[np.intp]
    ) -> Iterator[tuple[slice | NDArray[np.intp], tuple[int, ...]]]:
        """Which entries recorded each list of smpl_pmds that occurs."""
        lists = self._kinds.lists
        if len(lists) == 1:
            yield slice(None), lists[0]
            return
        for which in split(np.arange(of.size), of):
            yield which, lists[of[which[0]]]


def _bad(dtype: np.dtype[np.void], field: str, message: str) -> PfmParseError:
    """An error about a field of the header."""
    assert dtype.fields is not None
    return PfmParseError(f"{field}: {message}", dtype.fields[field][1])


def _rows(
    data: Data, entry: np.dtype[np.void], values: int, count: int, end: int
) -> NDArray[np.void]:
    """At most ``count`` entries of one size that lie before byte ``end``."""
    row = np.dtype([("entry", entry), ("pmds", "<u8", (values,))])
    fit = (end - HDR_SIZE) // row.itemsize
    return view(data, row, min(count, fit), HDR_SIZE, row.itemsize)


def _follow(
    keys: NDArray[np.uint32], sizes: Mapping[int, int], words: int, count: int
) -> tuple[NDArray[np.intp], int]:
    """Where the first ``count`` entries start, and where they stop, in words.

    ``keys`` are those of entries that would start at each word, ``sizes`` the
    words of an entry by its key. Following ends at a key that is not in ``sizes``
    and at an entry that would reach beyond ``words``.
    """
    starts: list[int] = []
    at, key_at, size_of = 0, keys.data, sizes.get
    while at < len(key_at) and len(starts) < count:
        step = size_of(key_at[at], 0)
        if step == 0 or at + step > words:
            break
        starts.append(at)
        at += step
    return np.array(starts, np.intp), at


def _gather(
    words: NDArray[np.uint64], starts: NDArray[np.intp], size: int
) -> NDArray[np.uint64]:
    """``size`` words from each of n starts on; shape (n, size)."""
    return words[starts[:, np.newaxis] + np.arange(size)]


def _samples(entries: NDArray[np.void], groups: Sequence[PmdGroup]) -> Samples:
    """The entries as columns."""
    columns: dict[str, Column] = {n: entries[n] for n in field_names(entries.dtype)}
    return Samples(entries.size, columns, tuple(groups))


def _problem(header: Header, run: Run, size: int) -> Optional[PfmParseError]:
    """What the entries that were found contradict, in a buffer of ``size`` bytes."""
    found = run.samples.count
    if found < header.count and run.unknown:
        text = f"entry {found} is of a PMD that the session does not sample"
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


def _describe_arg(arg: bytes) -> Optional[dict[str, int]]:
    """Size in bytes and flags of the buffer, from a perfmon 2.2 argument (3.6.2)."""
    if len(arg) != ARG.itemsize:
        return None
    raw = view(arg, ARG, 1, 0, ARG.itemsize)[0]
    return {name: int(raw[name]) for name in field_names(ARG)}


FORMATS = (
    Format(
        name="default",
        uuid="d139b29e-62e8-40e4-b402-73078792e937",
        decoder=partial(Decoder, PERFMON_2_2),
        describe_arg=_describe_arg,
    ),
    Format(
        name="default (perfmon 2.0, ia64)",
        uuid="4d72bec0-0664-4143-82b4-d3fd27243c97",
        decoder=partial(Decoder, PERFMON_2_0_IA64),
        describe_arg=_describe_arg,
    ),
)
