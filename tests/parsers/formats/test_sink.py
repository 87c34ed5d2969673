# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode buffers that begin with a sink header."""

from __future__ import annotations

import struct
from typing import Callable

import numpy as np
import pytest
from helpers.sink_buffer import FILLING, FREE, READY, REGION_SIZE, SinkRegion, sink
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse import (
    Decoded,
    PfmParseError,
    Records,
    Role,
    Roles,
    Samples,
    Session,
    parse_session,
    session_template,
    sink_decoder,
    struct_dtype,
)
from pfmparse.formats.sink import SinkDecoder, is_sink, pmd_groups

NUMBER = struct_dtype(8, [("n", "<u8", 0)])
ODD = struct_dtype(12, [("n", "<u8", 0), ("m", "<u4", 8)])
HEAD = struct_dtype(8, [("n", "<u4", 0), ("words", "<u4", 4)])


def numbers(*values: int) -> tuple[bytes, ...]:
    """Build records, each of which is one integer."""
    return tuple(struct.pack("<Q", value) for value in values)


def by_number(records: Records) -> Samples:
    """Decode records, each of which is one integer."""
    return Samples.of_records(records.fixed(NUMBER))


def found(decoded: Decoded) -> list[int]:
    """Return the integers in all regions."""
    return [n for r in decoded.regions for n in r.samples.column("n").tolist()]


def fed(decode: SinkDecoder, *regions: SinkRegion) -> list[int]:
    """Return the integers that the decoder finds in a buffer with these regions."""
    decoded = decode(sink(regions))
    assert decoded.problems == ()
    return found(decoded)


def test_sink_regions_are_read_in_fill_order() -> None:
    regions = [
        SinkRegion(5, numbers(1, 2)),
        SinkRegion(6, numbers(3), FILLING),
        SinkRegion(0, numbers(9), FREE),
        SinkRegion(4, numbers(4)),
        SinkRegion(7, (), FILLING),
    ]
    decoded = SinkDecoder(by_number)(sink(regions))
    assert [region.number for region in decoded.regions] == [3, 0, 1]
    assert found(decoded) == [4, 1, 2, 3] and decoded.problems == ()


def test_sink_records_are_read_once() -> None:
    decode = SinkDecoder(by_number)
    assert fed(decode, SinkRegion(1, numbers(1)), SinkRegion()) == [1]
    full, next_one = SinkRegion(1, numbers(1, 2)), SinkRegion(2, numbers(3), FILLING)
    assert fed(decode, full, next_one) == [2, 3]
    assert fed(decode, full, next_one) == []
    assert fed(decode, SinkRegion(3, numbers(4)), SinkRegion()) == [4]


def by_head(records: Records) -> Samples:
    """Decode records that are followed by words."""
    return Samples.of_records(records.walk(HEAD, lambda heads: heads["words"])[0])


def heads(*values: int) -> tuple[bytes, ...]:
    """Build records that are followed by words; each value is the number of words."""
    return tuple(struct.pack(f"<II{n}Q", n, n, *range(n)) for n in values)


def by_itself(records: Records) -> Samples:
    """Decode records without Records.fixed(), as a parser may do."""
    records.end = 8 * records.count
    content = records.data[: records.end]
    return Samples.of_records(np.frombuffer(content, NUMBER))


@pytest.mark.parametrize(
    "read,records",
    [(by_number, numbers), (by_head, heads), (by_itself, numbers)],
)
def test_sink_uncounted_record_is_read_later(
    read: Callable[[Records], Samples], records: Callable[..., tuple[bytes, ...]]
) -> None:
    decode = SinkDecoder(read)
    assert fed(decode, SinkRegion(1, records(1, 2, 3), FILLING, count=2)) == [1, 2]
    assert fed(decode, SinkRegion(1, records(1, 2, 3), FILLING, count=2)) == []
    assert fed(decode, SinkRegion(1, records(1, 2, 3, 4), FILLING, count=3)) == [3]
    assert fed(decode, SinkRegion(1, records(1, 2, 3, 4), READY)) == [4]


@pytest.mark.parametrize("read,records", [(by_number, numbers), (by_head, heads)])
def test_sink_records_after_cut_come_from_next_copy(
    read: Callable[[Records], Samples], records: Callable[..., tuple[bytes, ...]]
) -> None:
    decode, data = SinkDecoder(read), sink([SinkRegion(1, records(2, 2, 2))])
    assert found(decode(data[: 160 + len(records(2)[0])])) == [2]
    assert found(decode(data)) == [2, 2] and found(decode(data)) == []


def test_sink_losses_have_their_reasons() -> None:
    decoded = SinkDecoder(by_number)(sink([SinkRegion()]))
    assert decoded.lost.total == {
        "overwritten": 6,
        "full": 2,
        "table": 3,
        "registers": 4,
        "other": 5,
    }


def test_sink_tells_skipped_samples() -> None:
    data = sink([SinkRegion(1, numbers(5))], skipped=9)
    decoded = SinkDecoder(by_number)(data)
    assert (found(decoded), decoded.skipped) == ([5], 9)
    assert sum(decoded.lost.total.values()) == 6 + 2 + 3 + 4 + 5
    # The copy ends before the field with the number of skipped samples.
    assert SinkDecoder(by_number)(data[:160]).skipped == 0


def test_old_sink_has_no_skipped_samples() -> None:
    assert SinkDecoder(by_number)(sink([SinkRegion()])).skipped == 0


@pytest.mark.parametrize("at", [8, 156, 164, 168])
def test_bad_place_of_skipped_samples_is_refused(at: int) -> None:
    data = sink([SinkRegion()], skipped=9, more_offs=at)
    with pytest.raises(PfmParseError, match=f"hdr_more_offs: {at} is neither") as error:
        SinkDecoder(by_number)(data)
    assert error.value.offset == 60


def test_sink_records_need_no_word_alignment() -> None:
    records = tuple(struct.pack("<QI", n, n + 1) for n in (5, 6))
    read: list[list[tuple[int, ...]]] = []

    def by_pair(records: Records) -> Samples:
        read.append(records.fixed(ODD).tolist())
        return Samples(0, {})

    assert SinkDecoder(by_pair)(sink([SinkRegion(1, records)])).problems == ()
    assert read == [[(5, 6), (6, 7)]]


@pytest.mark.parametrize("lengths", [(2, 2, 2), (0, 0), (1, 0, 3, 2), (2, 0), (0,)])
def test_sink_records_have_trailing_words(lengths: tuple[int, ...]) -> None:
    behind = [[10 * n + at for at in range(k)] for n, k in enumerate(lengths)]
    records = tuple(
        struct.pack(f"<II{len(words)}Q", n, len(words), *words)
        for n, words in enumerate(behind)
    )
    read: list[list[list[int]]] = []

    def walk(records: Records) -> Samples:
        heads, begins = records.walk(HEAD, lambda heads: heads["words"])
        assert heads["n"].tolist() == list(range(len(lengths)))
        offsets, words = records.words(begins, heads["words"])
        read.append([part.tolist() for part in np.split(words, offsets[1:-1])])
        return Samples(0, {})

    assert SinkDecoder(walk)(sink([SinkRegion(1, records)])).problems == ()
    assert read == [behind]


def counts(*pairs: tuple[int, int]) -> tuple[bytes, ...]:
    """Build records of a key and its count."""
    return tuple(struct.pack("<QQ", *pair) for pair in pairs)


PAIR = struct_dtype(16, [("n", "<u8", 0), ("count", "<u8", 8)])


def by_count(records: Records) -> Samples:
    """Decode records of a key and its count."""
    return Samples.of_records(records.fixed(PAIR), roles={Role.WEIGHT: "count"})


def test_sink_rising_counts_are_read_as_increments() -> None:
    decode = SinkDecoder(by_count, rising=True)

    def risen(seq: int, *pairs: tuple[int, int]) -> list[tuple[int, int]]:
        decoded = decode(sink([SinkRegion(seq, counts(*pairs))]))
        assert decoded.problems == ()
        (region,) = decoded.regions
        found: list[tuple[int, int]] = region.samples.to_array().tolist()
        return found

    assert risen(1, (7, 5), (8, 1)) == [(7, 5), (8, 1)]
    assert risen(1, (7, 9), (8, 1), (9, 2)) == [(7, 4), (8, 0), (9, 2)]
    assert risen(1, (7, 3), (8, 2)) == [(7, 0), (8, 1)]
    assert risen(2, (7, 3)) == [(7, 3)]


def test_sink_rising_counts_need_a_weight() -> None:
    decode = SinkDecoder(by_number, rising=True)
    with pytest.raises(ValueError, match="needs a column of the role WEIGHT or SUM"):
        decode(sink([SinkRegion(1, numbers(1))]))


MERGED = struct_dtype(24, [("n", "<u8", 0), ("sum", "<u8", 8), ("most", "<u8", 16)])


def test_sink_rising_sums_are_read_as_increments() -> None:
    roles: Roles = {Role.SUM: "sum", Role.MAX: {"sum": "most"}}

    def by_sum(records: Records) -> Samples:
        return Samples.of_records(records.fixed(MERGED), roles=roles)

    decode = SinkDecoder(by_sum, rising=True)

    def risen(*rows: tuple[int, int, int]) -> list[tuple[int, int, int]]:
        records = tuple(struct.pack("<QQQ", *row) for row in rows)
        (region,) = decode(sink([SinkRegion(1, records)])).regions
        found: list[tuple[int, int, int]] = region.samples.to_array().tolist()
        return found

    assert risen((7, 50, 20)) == [(7, 50, 20)]
    assert risen((7, 90, 30), (8, 4, 4)) == [(7, 40, 30), (8, 4, 4)]
    assert risen((7, 90, 30), (8, 3, 4)) == [(7, 0, 30), (8, 0, 4)]


@pytest.mark.parametrize(
    "field,value,offset,said",
    [
        ("magic", 5, 0, "hdr_magic: not the magic number of a sink"),
        ("version", 2 << 16, 8, "hdr_version: 0x20000 is unknown"),
        ("fmt_version", 131073, 12, "version 2.1 is not supported, only 1.x"),
        ("num_regions", 0, 48, "hdr_num_regions: 0 is not from 1 to 64"),
        ("num_regions", 65, 48, "hdr_num_regions: 65 is not from 1 to 64"),
        ("region_offs", 152, 24, "hdr_region_offs: 152 is not a multiple of 8 that"),
        ("region_offs", 164, 24, "hdr_region_offs: 164 is not"),
        ("region_size", 12, 32, "hdr_region_size: 12 is not"),
        ("region_size", 1 << 63, 16, "hdr_buf_size: 416 is too small: the regions end"),
    ],
)
def test_sink_bad_header_is_refused(
    field: str, value: int, offset: int, said: str
) -> None:
    with pytest.raises(PfmParseError, match=said) as error:
        SinkDecoder(by_number, (1 << 16) + 1)(sink([SinkRegion()], **{field: value}))
    assert error.value.offset == offset


def test_sink_later_minor_version_is_read() -> None:
    fields = {"version": (1 << 16) + 5, "fmt_version": (1 << 16) + 7}
    data = sink([SinkRegion(1, numbers(1))], **fields)
    assert found(SinkDecoder(by_number, 1 << 16)(data)) == [1]


@pytest.mark.parametrize(
    "region,offset,said",
    [
        (SinkRegion(1, numbers(1), used=REGION_SIZE + 8), 16, "rgn_used: region 1"),
        (
            SinkRegion(1, numbers(1), count=2),
            8,
            "rgn_count: region 1: no room for 2 records in 8 bytes",
        ),
        (SinkRegion(1, numbers(1), count=1 << 63), 8, "rgn_count: region 1"),
    ],
)
def test_sink_bad_region_leaves_the_others(
    region: SinkRegion, offset: int, said: str
) -> None:
    decoded = SinkDecoder(by_number)(sink([SinkRegion(2, numbers(7)), region]))
    assert found(decoded) == [7]
    (problem,) = decoded.problems
    assert said in problem.message and problem.offset == 128 + 32 + offset


def test_sink_decreasing_sequence_is_refused() -> None:
    decode = SinkDecoder(by_number)
    fed(decode, SinkRegion(5, numbers(1)))
    (problem,) = decode(sink([SinkRegion(4, numbers(1))])).problems
    said = "region 0: 4 is less than 5, its value in the previous copy of the buffer"
    assert problem.message == f"rgn_seq: {said}"


def test_sink_incomplete_record_is_a_problem() -> None:
    broken = (struct.pack("<II", 0, 0), struct.pack("<II", 1, 9))
    decoded = SinkDecoder(by_head)(sink([SinkRegion(1, broken)]))
    assert found(decoded) == [0]
    (problem,) = decoded.problems
    assert problem.message == "1 of 2 records are whole" and problem.offset == 160 + 8


def test_sink_prefix_gives_its_complete_records() -> None:
    data = sink([SinkRegion(1, numbers(1, 2, 3)), SinkRegion(2, numbers(4))])
    starts = [192, 200, 208, 192 + REGION_SIZE]
    for size in range(len(data) - REGION_SIZE + 8):
        decode = SinkDecoder(by_number)
        if size < 192:
            with pytest.raises(PfmParseError) as error:
                decode(data[:size])
            assert error.value.truncated
            continue
        decoded = decode(data[:size])
        assert found(decoded) == [
            n + 1 for n, at in enumerate(starts) if at + 8 <= size
        ]
        assert all(p.truncated and p.offset == size for p in decoded.problems)
        assert decoded.problems


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.data())
def test_sink_damaged_buffer_decodes_or_fails_cleanly(data: st.DataObject) -> None:
    regions = [SinkRegion(1, numbers(1, 2, 3)), SinkRegion(2, numbers(4))]
    image = bytearray(sink(regions))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, 207))
        image[at] = data.draw(st.integers(0, 255))

    def walk(records: Records) -> Samples:
        heads, begins = records.walk(HEAD, lambda heads: heads["words"])
        records.words(begins, heads["words"])
        return by_number(records)

    try:
        SinkDecoder(walk)(bytes(image))
    except PfmParseError:
        pass


def test_sink_format_makes_a_decoder_per_context() -> None:
    sessions: list[Session] = []

    def read(records: Records, session: Session) -> Samples:
        sessions.append(session)
        assert records.version == 1 << 16 and records.offset == 160
        return by_number(records)

    session = parse_session(session_template("00" * 16), 0)
    make, data = sink_decoder(read, 1 << 16), sink([SinkRegion(1, numbers(1))])
    assert found(make(session)(data)) == found(make(session)(data)) == [1]
    assert sessions == [session] * 2


@pytest.mark.parametrize("version,is_one", [(1 << 16, True), (2 << 16, False)])
def test_sink_is_identified_by_magic_and_version(version: int, is_one: bool) -> None:
    data = sink([SinkRegion(state=READY)], version=version)
    assert is_sink(data) is is_one and is_sink(data[:128]) is is_one
    assert not is_sink(data[:127]) and not is_sink(bytes(128))


PMD_HEAD = struct_dtype(
    8,
    [
        ("ovfl_pmd", "<u2", 0),
        ("set", "<u2", 2),
        ("num_pmds", "<u2", 4),
        ("reserved", "<u2", 6),
    ],
)
TEXT = session_template("00000000-0000-4000-8000-00000000000c")
SESSION = parse_session(TEXT.replace(b'"smpl_pmds": []', b'"smpl_pmds": [4, 6]'), 0)


def pmds_of(*records: tuple[int, int, tuple[int, ...]]) -> dict[int, dict[int, int]]:
    """Return the PMD values of records, each given as a PMD, a set and words."""
    data = b"".join(
        struct.pack(f"<HHHH{len(words)}Q", pmd, event_set, len(words), 0, *words)
        for pmd, event_set, words in records
    )
    lines = Records(memoryview(data), len(records), 0, 1)
    heads, behind = lines.walk(PMD_HEAD, lambda heads: heads["num_pmds"])
    values: dict[int, dict[int, int]] = {}
    for group in pmd_groups(lines, SESSION, heads, behind):
        which = np.arange(heads.size)[group.which].tolist()
        for record, row in zip(which, group.values.tolist()):
            values[record] = dict(zip(group.pmds, row))
    return values


def test_pmd_words_follow_the_session() -> None:
    assert pmds_of((0, 0, (7, 8)), (0, 0, (9, 10))) == {
        0: {4: 7, 6: 8},
        1: {4: 9, 6: 10},
    }


def test_pmd_words_of_unknown_records_are_skipped() -> None:
    known, fewer, other_pmd, other_set = (0, 0, (7, 8)), (0, 0, (7,)), 3, 1
    assert pmds_of(fewer, known, (other_pmd, 0, (1, 2)), (0, other_set, (3, 4))) == {
        1: {4: 7, 6: 8}
    }
