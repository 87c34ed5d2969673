# SPDX-License-Identifier: MIT OR GPL-2.0
"""Records of perf.data: struct perf_event_header, followed by the record's data.

All records start at a multiple of 8 bytes and consist of whole words.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, Iterator, Sequence

import numpy as np

from ..capture.maps import Mapping
from ..layout import NDArray
from ..text import exact_bytes

Words = NDArray[np.uint64]

# Types of records.
MMAP, LOST, COMM, SAMPLE, MMAP2 = 1, 2, 3, 9, 10
FINISHED_ROUND = 68

# Bits of misc: the privilege level, and flags.
KERNEL, USER = 1, 2
MMAP_DATA = 1 << 13
MMAP_BUILD_ID = 1 << 14
PRIVATE, SHARED = 2, 1  # flags of a mapping
BUILD_ID_SIZE = 20  # maximum in bytes

# The fields of a sample in the order of their words: bits of sample_type.
IP, TID, TIME, ADDR, CALLCHAIN = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 5
CPU, PERIOD, BRANCH_STACK, WEIGHT = 1 << 7, 1 << 8, 1 << 11, 1 << 14
DATA_SRC, IDENTIFIER = 1 << 15, 1 << 16
BEFORE_LISTS = (IDENTIFIER, IP, TID, TIME, ADDR, CPU, PERIOD)
LISTS = (CALLCHAIN, BRANCH_STACK)
BEHIND_LISTS = (WEIGHT, DATA_SRC)

IN_ALL = (TID, TIME, CPU, IDENTIFIER)  # fields that other records have, too

# Marks before addresses of the kernel or of user space: PERF_CONTEXT_KERNEL, _USER.
CONTEXTS = np.array([-128 % (1 << 64), -512 % (1 << 64)], np.uint64)
MAX_CHAIN = 8000  # words, because sizes of records have 16 bits
BLOCK = 1 << 12  # samples whose records are made at once; they fit into the cache
WORD = 8  # bytes


def record(kind: int, misc: int, body: bytes) -> bytes:
    """Returns a record of any type."""
    body += bytes(-len(body) % WORD)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def identified(records: bytes, sample_type: int, time: int = 0) -> bytes:
    """Appends the fields of sample_id to each record; all except the time are 0.

    perf sorts samples by time only if all records from the kernel have these fields.
    """
    values = {TIME: time}
    words = b"".join(
        struct.pack("<Q", values.get(bit, 0)) for bit in IN_ALL if sample_type & bit
    )
    found, at = [], 0
    while at < len(records):
        kind, misc, length = struct.unpack_from("<IHH", records, at)
        more = words if kind < FINISHED_ROUND else b""
        found.append(struct.pack("<IHH", kind, misc, length + len(more)))
        found.append(records[at + 8 : at + length] + more)
        at += length
    return b"".join(found)


def name(text: str) -> bytes:
    """Encodes the text that ends a record; truncates it if it is too long."""
    return exact_bytes(text)[:4000] + b"\0"


def comm(tgid: int, tid: int, text: str) -> bytes:
    """Returns a record with the name of a thread."""
    return record(COMM, USER, struct.pack("<II", tgid, tid) + name(text))


def mmap(start: int, length: int, offset: int, text: str) -> bytes:
    """Returns a record with a mapping of the kernel."""
    body = struct.pack("<iIQQQ", -1, 0, start, length, offset)
    return record(MMAP, KERNEL, body + name(text))


def mmap2(tgid: int, mapping: Mapping) -> bytes:
    """Returns a record with a process's mapping, and the file's build ID if known."""
    misc, file = USER, struct.pack("<IIQQ", 0, 0, 0, 0)
    build_id = mapping.build_id or b""
    if 0 < len(build_id) <= BUILD_ID_SIZE:
        misc |= MMAP_BUILD_ID
        file = struct.pack("<BBH20s", len(build_id), 0, 0, build_id)
    if not mapping.executable:
        misc |= MMAP_DATA
    prot = sum(bit for at, bit in enumerate((1, 2, 4)) if mapping.prot[at] != "-")
    flags = SHARED if mapping.prot[3] == "s" else PRIVATE
    length = mapping.end - mapping.start
    body = struct.pack("<II", tgid, tgid)
    body += struct.pack("<QQQ", mapping.start, length, mapping.offset)
    body += file + struct.pack("<II", prot, flags)
    return record(MMAP2, misc, body + name(mapping.path or "//anon"))


def lost(number: int) -> bytes:
    """Returns a record with the number of lost samples."""
    return record(LOST, 0, struct.pack("<QQ", 0, number % (1 << 64)))


def finished_round() -> bytes:
    """Returns a record that ends a round: perf then sorts samples of earlier rounds."""
    return record(FINISHED_ROUND, 0, b"")


@dataclass(frozen=True)
class Lists:
    """A list of words for each sample, such as a call chain.

    ``words`` has the words of all lists. ``counts`` is the number of entries of each
    list. Each entry has ``width`` words.
    """

    words: Words
    counts: NDArray[np.intp]
    width: int = 1

    @property
    def sizes(self) -> NDArray[np.intp]:
        """The number of words of each list, including the word for the count."""
        return 1 + self.width * self.counts

    def put(self, out: Words, at: NDArray[np.intp]) -> None:
        """Writes each list at its position."""
        out[at] = self.counts.astype(np.uint64)
        # The words of a list follow its count, in order.
        lengths = self.width * self.counts
        firsts = np.cumsum(lengths) - lengths
        places = np.arange(self.words.size) + np.repeat(at + 1 - firsts, lengths)
        out[places] = self.words


@dataclass(frozen=True)
class Columns:
    """The fields of n samples, by bit of sample_type; unused fields are missing.

    ``kernel`` is a mask of samples in the kernel. ``lists`` has call chains and
    branches, by bit of sample_type.
    """

    words: dict[int, NDArray[Any]]
    kernel: NDArray[np.bool_]
    lists: dict[int, Lists] = field(default_factory=dict)


def samples(sample_type: int, columns: Columns) -> Iterator[memoryview]:
    """Yields SAMPLE records with all fields of ``sample_type``; unknown fields are 0.

    Each memoryview is valid only until the next one is yielded.
    """
    if any(sample_type & bit for bit in LISTS):
        yield _with_lists(sample_type, columns).data
        return
    names = [bit for bit in BEFORE_LISTS + BEHIND_LISTS if sample_type & bit]
    count, size = columns.kernel.size, 1 + len(names)
    rows = np.zeros((min(count, BLOCK), size), np.uint64)
    for start in range(0, count, BLOCK):
        part = slice(start, start + BLOCK)
        block = rows[: count - start]
        block[:, 0] = _headers(columns.kernel[part], size)
        for at, bit in enumerate(names, 1):
            if bit in columns.words:
                block[:, at] = columns.words[bit][part]
        yield block.data


def _headers(kernel: NDArray[np.bool_], size: Any) -> Words:
    """Returns the headers, of one word each, of records of ``size`` words."""
    level = np.where(kernel, KERNEL, USER).astype(np.uint64)
    wide = np.asarray(size, np.uint64) * np.uint64(WORD)
    return np.uint64(SAMPLE) | level << np.uint64(32) | wide << np.uint64(48)


def _with_lists(sample_type: int, columns: Columns) -> Words:
    """Returns SAMPLE records with call chains or branches, whose sizes differ."""
    count = columns.kernel.size
    none = Lists(np.zeros(0, np.uint64), np.zeros(count, np.intp))
    lists = [columns.lists.get(bit, none) for bit in LISTS if sample_type & bit]
    before = [bit for bit in BEFORE_LISTS if sample_type & bit]
    behind = [bit for bit in BEHIND_LISTS if sample_type & bit]
    sizes = 1 + len(before) + sum(each.sizes for each in lists) + len(behind)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    out = np.zeros(int(ends[-1]) if count else 0, np.uint64)
    out[starts] = _headers(columns.kernel, sizes)
    for at, bit in enumerate(before, 1):
        out[starts + at] = columns.words.get(bit, 0)
    places = starts + 1 + len(before)
    for each in lists:
        each.put(out, places)
        places = places + each.sizes
    for at, bit in enumerate(behind):
        out[ends - len(behind) + at] = columns.words.get(bit, 0)
    return out


def chain_words(
    own: Words, offsets: NDArray[np.intp], addresses: Words, kernel: Sequence[Any]
) -> tuple[Words, NDArray[np.intp]]:
    """Returns chains in perf's format: marks and addresses, own address first.

    ``kernel`` has two masks: which samples, and which addresses, are in the kernel.
    Returns the words of all chains, and the number of words of each chain. Truncates
    long chains.
    """
    count = own.size
    of_own, of_callers = (np.asarray(part, np.bool_) for part in kernel)
    kept = np.minimum(np.diff(offsets), MAX_CHAIN)
    sizes = kept + 1
    ends = np.cumsum(sizes)
    starts = ends - sizes
    total = int(ends[-1]) if count else 0
    words, levels = np.zeros(total, np.uint64), np.zeros(total, np.bool_)
    words[starts], levels[starts] = own, of_own
    callers = np.ones(total, np.bool_)
    callers[starts] = False
    taken = np.arange(total)[callers] + np.repeat(offsets[:-1] - starts - 1, kept)
    words[callers], levels[callers] = addresses[taken], of_callers[taken]
    # A mark precedes the first address of a chain, and the first address after a change
    # from the kernel to user space or back.
    said = np.ones(total, np.bool_)
    said[1:] = levels[1:] != levels[:-1]
    said[starts] = True
    places = np.arange(total) + np.cumsum(said)
    out = np.zeros(total + int(said.sum()), np.uint64)
    out[places] = words
    out[places[said] - 1] = CONTEXTS[(~levels[said]).astype(np.intp)]
    extra = np.add.reduceat(said.astype(np.intp), starts) if count else said[:0]
    return out, sizes + extra
