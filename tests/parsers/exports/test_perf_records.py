# SPDX-License-Identifier: MIT OR GPL-2.0
"""Encode perf.data records."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from helpers import perf_file
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.capture.maps import Mapping
from pfmparse.exports import perf_records
from pfmparse.exports.perf_records import Columns, Lists, chain_words

USER, KERNEL = -512 % (1 << 64), -128 % (1 << 64)
ALL = 0x1C1AF  # the sample type of the records below


def one(data: bytes, sample_type: int = 0) -> perf_file.Record:
    (record,) = perf_file.parsed(data, sample_type)
    return record


def test_perf_comm_record_is_padded_and_terminated() -> None:
    record = one(perf_records.comm(5, 6, "worker"))
    assert (record.kind, record.misc) == (3, 2)
    assert record.body == struct.pack("<II", 5, 6) + b"worker\0\0"
    assert len(one(perf_records.comm(1, 1, "x" * 70000)).body) < 1 << 16


@pytest.mark.parametrize(
    "prot,misc,bits,flags",
    [("r-xp", 2, 5, 2), ("rw-s", 2 | 1 << 13, 3, 1), ("---p", 2 | 1 << 13, 0, 2)],
)
def test_perf_mmap2_record_has_protection(
    prot: str, misc: int, bits: int, flags: int
) -> None:
    record = one(
        perf_records.mmap2(7, Mapping(0x1000, 0x3000, 0x500, "/x", None, prot))
    )
    assert (record.kind, record.misc) == (10, misc)
    head = struct.unpack_from("<IIQQQ24xII", record.body)
    assert head == (7, 7, 0x1000, 0x2000, 0x500, bits, flags)
    assert record.body[64:] == b"/x" + bytes(6)


def test_perf_mmap2_record_has_build_id() -> None:
    build_id = bytes(range(20))
    record = one(perf_records.mmap2(7, Mapping(0, 1, 0, "/x", build_id)))
    assert record.misc == 2 | 1 << 14
    assert record.body[32:36] == b"\x14\0\0\0" and record.body[36:56] == build_id
    long = one(perf_records.mmap2(7, Mapping(0, 1, 0, "", bytes(21))))
    assert long.misc == 2 and b"//anon\0" in long.body


def test_perf_records_except_rounds_have_sample_id() -> None:
    plain = perf_records.lost(7) + perf_records.finished_round()
    made = perf_records.identified(plain, ALL)
    first, second = perf_file.parsed(made, ALL)
    assert first.body == struct.pack("<QQ", 0, 7) + bytes(8 * 4)
    assert (second.kind, second.body) == (68, b"")
    (first, _) = perf_file.parsed(perf_records.identified(plain, 0x10103), ALL)
    assert first.body == struct.pack("<QQ", 0, 7) + bytes(8 * 2)


def columns(count: int, kernel: bool = False) -> Columns:
    """Build columns of every kind; all their values are distinct."""
    bits = perf_records.BEFORE_LISTS + perf_records.BEHIND_LISTS
    words = {
        bit: np.arange(count, dtype=np.uint64) + np.uint64(bit << 32) for bit in bits
    }
    return Columns(words, np.full(count, kernel))


@pytest.mark.parametrize("count", [0, 1, perf_records.BLOCK, perf_records.BLOCK + 3])
def test_perf_sample_words_are_in_perfs_order(count: int) -> None:
    kind = ALL & ~perf_records.CALLCHAIN
    data = b"".join(map(bytes, perf_records.samples(kind, columns(count))))
    found = list(perf_file.parsed(data, kind))
    assert len(found) == count
    for number, record in enumerate(found):
        assert (record.kind, record.misc) == (9, 2)
        assert list(record.fields.values()) == [
            number + (bit << 32)
            for bit in (1 << 16, 1, 2, 4, 8, 1 << 7, 1 << 8, 1 << 14, 1 << 15)
        ]


def test_perf_unknown_sample_words_are_0() -> None:
    kind = perf_records.IP | perf_records.TIME | perf_records.WEIGHT
    words = {perf_records.IP: np.array([7], np.uint64)}
    made = Columns(words, np.array([True]))
    (block,) = perf_records.samples(kind, made)
    record = one(bytes(block), kind)
    assert record.misc == 1
    assert record.fields == {"ip": 7, "time": 0, "weight": 0}
    chained = kind | perf_records.CALLCHAIN
    (block,) = perf_records.samples(chained, made)
    record = one(bytes(block), chained)
    assert record.chain == [] and record.fields["ip"] == 7


@pytest.mark.parametrize("chained", [True, False])
def test_perf_branches_follow_the_chain(chained: bool) -> None:
    kind = perf_records.IP | perf_records.BRANCH_STACK | perf_records.WEIGHT
    kind |= perf_records.CALLCHAIN if chained else 0
    branches = Lists(np.arange(9, dtype=np.uint64), np.array([2, 0, 1]), width=3)
    chains = Lists(np.array([50, 60, 61], np.uint64), np.array([1, 2, 0]))
    lists = {perf_records.BRANCH_STACK: branches, perf_records.CALLCHAIN: chains}
    words = {perf_records.WEIGHT: np.array([4, 5, 6], np.uint64)}
    made = Columns(words, np.zeros(3, np.bool_), lists)
    (block,) = perf_records.samples(kind, made)
    found = list(perf_file.parsed(bytes(block), kind))
    assert [record.branches for record in found] == [
        [(0, 1, 2), (3, 4, 5)],
        [],
        [(6, 7, 8)],
    ]
    assert [record.fields["weight"] for record in found] == [4, 5, 6]
    if chained:
        assert [record.chain for record in found] == [[50], [60, 61], []]


CHAIN = st.lists(st.tuples(st.integers(0, 99), st.booleans()), max_size=5)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.booleans(), CHAIN), max_size=6))
def test_perf_chains_mark_changes_of_level(
    samples: list[tuple[bool, list[tuple[int, bool]]]]
) -> None:
    lengths = [len(chain) for _, chain in samples]
    offsets = np.concatenate([np.zeros(1, np.intp), np.cumsum(lengths, dtype=np.intp)])
    flat = [entry for _, chain in samples for entry in chain]
    own = np.arange(1000, 1000 + len(samples), dtype=np.uint64)
    kernel = np.array([level for level, _ in samples], np.bool_)
    words, sizes = chain_words(
        own,
        offsets,
        np.array([at for at, _ in flat], np.uint64),
        (kernel, np.array([level for _, level in flat], np.bool_)),
    )
    made = columns(len(samples))
    lists = {perf_records.CALLCHAIN: Lists(words, sizes)}
    made = Columns(made.words, kernel, lists)
    data = b"".join(map(bytes, perf_records.samples(ALL, made)))
    for number, record in enumerate(perf_file.parsed(data, ALL)):
        expected: list[int] = []
        before = None
        for at, level in [(1000 + number, samples[number][0]), *samples[number][1]]:
            if level != before:
                expected.append(KERNEL if level else USER)
            expected.append(at)
            before = level
        assert record.chain == expected
        assert record.misc == (1 if samples[number][0] else 2)
        assert record.fields["weight"] == number + (1 << 14 + 32)


def test_perf_chain_is_cut_at_the_limit() -> None:
    many = perf_records.MAX_CHAIN + 5
    words, sizes = chain_words(
        np.array([1, 2], np.uint64),
        np.array([0, many, many + 1]),
        np.arange(10, 11 + many, dtype=np.uint64),
        (np.zeros(2, np.bool_), np.zeros(many + 1, np.bool_)),
    )
    assert sizes.tolist() == [perf_records.MAX_CHAIN + 2, 3]
    assert words[-3:].tolist() == [USER, 2, many + 10]
    assert words[2:4].tolist() == [10, 11]
