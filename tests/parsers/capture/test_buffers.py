# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read copies of sampling buffers from one or several BUFR chunks."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from helpers.readers import peak_memory, read_capture
from helpers.sample_capture import DONE, FIRST, SAMPLES, SESS
from helpers.writers import (
    HDR_SIZE,
    READY,
    UUID_NWAY,
    NwayRegion,
    Sample,
    buffer,
    bufr,
    bufr_pieces,
    capture,
    chunk,
    json_chunk,
    mapped,
    mapping,
    nway,
    pieces_payload,
    session,
    totals,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse import Capture
from pfmparse.capture import buffers as module
from pfmparse.capture.buffers import Buffer, Buffers, gather, plain_buffers
from pfmparse.errors import PfmParseError
from pfmparse.layout import struct_dtype

THREE = [Sample(ip=ip) for ip in (1, 2, 3)]
THREE_AS_DICTS = [sample.as_dict() for sample in THREE]
THREE_DONE = json_chunk("DONE", totals(3))
IMAGE = buffer(THREE)
START = len(capture(SESS)) + 24 + 24  # offset of the table of pieces


def split_at(*cuts: int) -> list[tuple[int, bytes]]:
    """Split the buffer image into pieces that end at these offsets."""
    ends = [*cuts, len(IMAGE)]
    return [(a, IMAGE[a:b]) for a, b in zip([0, *ends], ends)]


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("cuts", [(), (128,), (40, 128, 168), (5, 6, 7, 7, 130)])
def test_buffer_pieces_are_assembled(compress: bool, cuts: tuple[int, ...]) -> None:
    bufr = bufr_pieces(split_at(*cuts), 1 << 20, compress=compress)
    samples, recording = read_capture(capture(SESS, bufr, THREE_DONE))
    assert samples == THREE_AS_DICTS and recording.problems == []


def test_gaps_between_pieces_read_as_zero() -> None:
    hole = HDR_SIZE + 40  # the second sample
    pieces = [(0, IMAGE[:hole]), (hole + 40, IMAGE[hole + 40 :])]
    samples, _ = read_capture(capture(SESS, bufr_pieces(pieces, 4096), THREE_DONE))
    assert [sample["ip"] for sample in samples] == [1, 0, 3]


def test_assembled_image_has_the_buffer_size() -> None:
    # Only the header was saved. Entries that were not saved read as zeros.
    pieces = [(0, IMAGE[:HDR_SIZE])]
    samples, _ = read_capture(capture(SESS, bufr_pieces(pieces, 4096), THREE_DONE))
    assert [sample["ip"] for sample in samples] == [0, 0, 0]
    pieces_of_all = bufr_pieces(pieces, HDR_SIZE + 50)
    samples, recording = read_capture(capture(SESS, pieces_of_all, THREE_DONE))
    assert len(samples) == 1 and not recording.truncated
    assert "instead of at hdr_cur_offs" in recording.problems[0].message


@pytest.mark.parametrize(
    "pieces,size,at",
    [
        ([(0, IMAGE[:130]), (129, b"x")], 4096, 16),  # overlap
        ([(200, b"x"), (0, IMAGE)], 4096, 16),  # not increasing
        ([(0, IMAGE)], len(IMAGE) - 1, 0),  # beyond the end
        ([(0, IMAGE), (4096, b"x")], 4096, 16),
        ([((1 << 64) - 1, b"x")], 4096, 0),
        ([(i, b"x") for i in range(4097)], 8192, 0),
        ([(0, IMAGE)], (256 << 20) + 1, 0),
        ([(0, IMAGE)], (1 << 64) - 1, 0),
    ],
)
def test_bad_piece_table_is_one_problem(
    pieces: list[tuple[int, bytes]], size: int, at: int
) -> None:
    bad, good = bufr_pieces(pieces, size), bufr_pieces(split_at(), 4096)
    samples, recording = read_capture(capture(SESS, bad, good, THREE_DONE))
    assert samples == THREE_AS_DICTS
    assert [p.offset for p in recording.problems] == [START + at]
    assert not recording.truncated


@pytest.mark.parametrize("change", [b"more", None])
def test_extra_or_missing_piece_bytes_are_problems(
    change: bytes | None,
) -> None:
    payload = pieces_payload(split_at(130), 4096)
    payload = payload[:-1] if change is None else payload + change
    data = capture(SESS, chunk("BUFR", payload), THREE_DONE)
    samples, recording = read_capture(data)
    assert samples == [] and recording.useless
    assert len(recording.problems) == 1


def test_missing_piece_table_is_a_problem() -> None:
    payload = pieces_payload(split_at(130), 4096)[: 24 + 31]
    _, recording = read_capture(capture(SESS, chunk("BUFR", payload), THREE_DONE))
    assert [p.offset for p in recording.problems] == [START + 31]


def test_unsaved_part_of_image_costs_no_memory() -> None:
    size = 256 << 20
    bufr = bufr_pieces([(0, IMAGE)], size)
    data = capture(SESS, *[bufr] * 50, THREE_DONE)
    peak, (samples, _) = peak_memory(lambda: read_capture(data))
    assert len(samples) == 150
    assert peak < 3 * size  # of address space: two images exist at a time


def test_pieces_prefix_gives_samples_before_the_cut() -> None:
    regions = [
        NwayRegion(2, READY, (Sample(ip=1), Sample(ip=2))),
        NwayRegion(1, READY, (Sample(ip=3),)),
    ]
    image = nway(regions, region_size=512)
    pieces = [(0, image[:256]), (256, image[256:336]), (768, image[768:808])]
    bufr = bufr_pieces(pieces, len(image))
    sess = json_chunk("SESS", session(uuid=UUID_NWAY))
    data = capture(sess, bufr, THREE_DONE)
    first = len(capture(sess)) + 24 + 24 + 3 * 16 + 256  # offset of the first region
    for size in range(len(capture(sess)), len(data)):
        samples, recording = read_capture(data[:size])
        whole = {ip for ip in (1, 2, 3) if first + 40 * ip <= size}
        assert {sample["ip"] for sample in samples} == whole
        assert recording.truncated or size > len(data) - 8


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.data())
def test_mutated_pieces_parse_or_fail_cleanly(data: st.DataObject) -> None:
    payload = bytearray(pieces_payload(split_at(50, 130), 4096))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, 24 + 3 * 16 + 48))
        payload[at] = data.draw(st.integers(0, 255))
    size = struct.unpack_from("<Q", payload, 16)[0]
    try:
        samples, _ = read_capture(
            capture(SESS, chunk("BUFR", bytes(payload)), THREE_DONE)
        )
    except PfmParseError:
        return
    assert len(samples) <= max(size, len(payload)) // 40


def test_compressed_buffer_is_decoded() -> None:
    data = capture(SESS, bufr(buffer(THREE), compress=True), THREE_DONE)
    assert read_capture(data)[0] == THREE_AS_DICTS


def test_buffer_problem_has_its_file_offset() -> None:
    bad = buffer([Sample(), Sample(ovfl_pmd=9)])
    start = len(capture(SESS)) + 24 + 24
    _, recording = read_capture(capture(SESS, bufr(bad), THREE_DONE))
    assert [p.offset for p in recording.problems] == [start + HDR_SIZE + 40]


def test_compressed_buffer_problem_names_its_byte() -> None:
    bad = buffer([Sample(), Sample(ovfl_pmd=9)])
    _, recording = read_capture(capture(SESS, bufr(bad, compress=True), THREE_DONE))
    assert [p.offset for p in recording.problems] == [len(capture(SESS)) + 24]
    assert f"byte {HDR_SIZE + 40:#x}" in recording.problems[0].message


def copies(data: bytes) -> list[Buffer]:
    """Return the buffer copies in a capture."""
    return list(Capture(io.BytesIO(data)).buffers())


@pytest.mark.parametrize(
    "chunk_of_image,stored,offset",
    [
        (bufr(IMAGE), "", 24),  # the data follow the BUFR header
        (bufr(IMAGE, compress=True), "decompressed", 0),
        (bufr_pieces([(0, IMAGE)], len(IMAGE)), "assembled", 24),
        (bufr_pieces([(0, IMAGE)], len(IMAGE), compress=True), "assembled", 0),
    ],
)
def test_buffer_copy_knows_how_it_is_stored(
    chunk_of_image: bytes, stored: str, offset: int
) -> None:
    (copy,) = copies(capture(SESS, chunk_of_image, DONE))
    assert (copy.data, copy.stored, copy.context) == (IMAGE, stored, 0)
    assert copy.offset == len(capture(SESS)) + 24 + offset


def test_buffer_copy_has_its_mappings_epoch() -> None:
    maps = mapped(mapping(0, 1, 0, "/x"))
    data = capture(SESS, FIRST, maps, FIRST, maps, maps, FIRST, DONE)
    assert [copy.epoch for copy in copies(data)] == [0, 1, 3]


def test_truncated_buffer_copy_is_not_whole() -> None:
    data = capture(SESS, FIRST)
    assert [copy.whole for copy in copies(data)] == [True]
    assert [copy.whole for copy in copies(data[:-1])] == [False]


def test_buffer_copy_counts_unreadable_predecessors() -> None:
    damaged = bytearray(FIRST)
    damaged[-1] ^= 1
    chunks = [FIRST, bytes(damaged), FIRST, chunk("BUFR", b"short"), FIRST]
    assert [copy.unread for copy in copies(capture(SESS, *chunks, DONE))] == [0, 1, 2]


@pytest.mark.parametrize(
    "bad,message",
    [
        (chunk("BUFR", bytes(23)), "a BUFR chunk of 23 bytes"),
        (bufr(buffer(SAMPLES), context=5), "context 5, which is not in the session"),
    ],
)
def test_bad_buffer_copy_is_reported(bad: bytes, message: str) -> None:
    _, recording = read_capture(capture(SESS, bad, DONE))
    (problem,) = recording.problems
    assert message in problem.message and not problem.truncated
    assert problem.offset == len(capture(SESS)) + 24


DATA = bytes(range(200))


def some(begins: list[int], sizes: list[int]) -> Buffers:
    """Return the description of buffers in DATA, which is at byte 1000 of the file."""
    return Buffers(
        memoryview(DATA), np.array(begins), np.array(sizes), 3, 4, 1000, unread=2
    )


def test_buffers_have_their_file_offsets() -> None:
    one, other = some([10, 50], [5, 7])
    assert (one.data, one.offset) == (DATA[10:15], 1010)
    assert (other.data, other.offset) == (DATA[50:57], 1050)
    assert one[1:3] == other[1:3] == (3, 4)
    assert (one.stored, one.whole, one.unread) == ("", True, 2)
    assert len(some([10, 50], [5, 7])) == 2


def test_buffers_of_one_buffer_return_it_unchanged() -> None:
    buffer = Buffer(memoryview(DATA), 1, 2, 3, "assembled", False, 4)
    assert list(Buffers.of(buffer)) == [buffer]


def test_parts_of_buffers_keep_their_order() -> None:
    buffers = some([10, 50, 90], [5, 7, 9])
    assert list(buffers.part(1, 3)) == list(buffers)[1:]


def test_heads_are_read_at_buffer_starts() -> None:
    head = struct_dtype(4, [("a", "<u2", 0), ("b", "<u2", 2)])
    found = some([11, 50], [5, 7]).heads(head)
    assert found.tolist() == [struct.unpack_from("<HH", DATA, at) for at in (11, 50)]


@pytest.mark.parametrize(
    "begins,spacing",
    [([10], 5), ([10, 30], 20), ([10, 30, 50], 20), ([10, 30, 51], 0)],
)
def test_buffer_spacing_is_zero_if_not_uniform(begins: list[int], spacing: int) -> None:
    assert some(begins, [5] * len(begins)).spacing() == spacing


def payloads(*heads: tuple[int, int]) -> Buffers:
    """Return buffers of BUFR chunks, each given as a context and a number of pieces."""
    data = b"".join(struct.pack("<IIQQQ", *head, 0, 0, 7) for head in heads)
    begins = np.arange(len(heads)) * 32
    return Buffers(memoryview(data), begins, np.full(len(heads), 32), 0, 0, 0)


def test_plain_buffers_are_split_by_context() -> None:
    found = plain_buffers(payloads((5, 0), (6, 0), (5, 0)), {5, 6})
    assert found is not None
    assert [buffers.context for buffers in found] == [5, 6]
    assert [buffers.begins.tolist() for buffers in found] == [[24, 88], [56]]
    assert [buffers.sizes.tolist() for buffers in found] == [[8, 8], [8]]


@pytest.mark.parametrize("head", [(5, 1), (9, 0)])
def test_pieces_and_unknown_contexts_are_not_plain(head: tuple[int, int]) -> None:
    assert plain_buffers(payloads((5, 0), head), {5}) is None


def test_payload_without_a_header_is_not_plain() -> None:
    short = Buffers(memoryview(DATA), np.array([0, 30]), np.array([30, 23]), 0, 0, 0)
    assert plain_buffers(short, {50462976}) is None


Short = tuple[int, int, int]


def one(number: int, context: int, epoch: int = 0, unread: int = 0) -> Buffers:
    """Return the description of a buffer of ten bytes at the offset ``number``."""
    begins, sizes = np.zeros(1, np.intp), np.array([10])
    data = memoryview(bytes(10))
    return Buffers(data, begins, sizes, context, epoch, number, unread=unread)


def numbers(groups: list[list[Buffers]]) -> list[list[int]]:
    """Return the numbers of the buffers in each list that was gathered."""
    return [[buffers.offset for buffers in some] for some in gather(groups)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let gather() stop at three buffers of a context, or at six of all contexts."""
    monkeypatch.setattr(module, "ENOUGH", 30)
    monkeypatch.setattr(module, "MOST", 50)


def test_gathering_keeps_order_within_each_context() -> None:
    groups = [[one(0, 5), one(1, 6), one(2, 5)], [one(3, 6), one(4, 5)]]
    assert numbers(groups) == [[0, 2, 4], [1, 3]]


def test_gathering_stops_at_enough_bytes_of_a_context() -> None:
    groups = [[one(n, 5)] for n in range(7)]
    assert numbers(groups) == [[0, 1, 2], [3, 4, 5], [6]]


def test_gathering_limits_bytes_of_all_contexts() -> None:
    assert numbers([[one(n, n) for n in range(8)]]) == [[n] for n in range(8)]
    found = numbers([[one(n, n % 4) for n in range(8)]])
    assert found == [[0, 4], [1, 5], [2], [3], [6], [7]]


def test_gathering_does_not_cross_an_epoch_change() -> None:
    groups = [[one(0, 5), one(1, 6), one(2, 5, 1), one(3, 6, 1, 1)], [one(4, 5, 1, 1)]]
    assert numbers(groups) == [[0], [1], [2], [3], [4]]
