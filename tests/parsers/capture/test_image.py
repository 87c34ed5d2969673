# SPDX-License-Identifier: MIT OR GPL-2.0
"""Buffers that were saved in pieces (docs/capture.md)."""

from __future__ import annotations

import struct

import pytest
from helpers.readers import peak_memory, read_capture
from helpers.writers import (
    HDR_SIZE,
    READY,
    UUID_NWAY,
    NwayRegion,
    Sample,
    buffer,
    bufr_pieces,
    capture,
    chunk,
    json_chunk,
    nway,
    pieces_payload,
    session,
    totals,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.errors import PfmParseError

SESS = json_chunk("SESS", session())
DONE = json_chunk("DONE", totals(3))
SAMPLES = [Sample(ip=ip) for ip in (1, 2, 3)]
ALL = [sample.as_dict() for sample in SAMPLES]
IMAGE = buffer(SAMPLES)
START = len(capture(SESS)) + 24 + 24  # offset of the table of pieces


def split_at(*cuts: int) -> list[tuple[int, bytes]]:
    """Split the image into pieces that end at these offsets."""
    ends = [*cuts, len(IMAGE)]
    return [(a, IMAGE[a:b]) for a, b in zip([0, *ends], ends)]


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("cuts", [(), (128,), (40, 128, 168), (5, 6, 7, 7, 130)])
def test_buffer_pieces_are_assembled(compress: bool, cuts: tuple[int, ...]) -> None:
    bufr = bufr_pieces(split_at(*cuts), 1 << 20, compress=compress)
    samples, recording = read_capture(capture(SESS, bufr, DONE))
    assert samples == ALL and recording.problems == []


def test_gaps_between_pieces_read_as_zero() -> None:
    hole = HDR_SIZE + 40  # the second sample
    pieces = [(0, IMAGE[:hole]), (hole + 40, IMAGE[hole + 40 :])]
    samples, _ = read_capture(capture(SESS, bufr_pieces(pieces, 4096), DONE))
    assert [sample["ip"] for sample in samples] == [1, 0, 3]


def test_assembled_image_has_the_buffer_size() -> None:
    # Only the header: the entries were not saved and read as zeros.
    pieces = [(0, IMAGE[:HDR_SIZE])]
    samples, _ = read_capture(capture(SESS, bufr_pieces(pieces, 4096), DONE))
    assert [sample["ip"] for sample in samples] == [0, 0, 0]
    pieces_of_all = bufr_pieces(pieces, HDR_SIZE + 50)
    samples, recording = read_capture(capture(SESS, pieces_of_all, DONE))
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
    samples, recording = read_capture(capture(SESS, bad, good, DONE))
    assert samples == ALL
    assert [p.offset for p in recording.problems] == [START + at]
    assert not recording.truncated


@pytest.mark.parametrize("change", [b"more", None])
def test_extra_or_missing_piece_bytes_are_problems(
    change: bytes | None,
) -> None:
    payload = pieces_payload(split_at(130), 4096)
    payload = payload[:-1] if change is None else payload + change
    data = capture(SESS, chunk("BUFR", payload), DONE)
    samples, recording = read_capture(data)
    assert samples == [] and recording.useless
    assert len(recording.problems) == 1


def test_missing_piece_table_is_a_problem() -> None:
    payload = pieces_payload(split_at(130), 4096)[: 24 + 31]
    _, recording = read_capture(capture(SESS, chunk("BUFR", payload), DONE))
    assert [p.offset for p in recording.problems] == [START + 31]


def test_unsaved_part_of_image_costs_no_memory() -> None:
    size = 256 << 20
    bufr = bufr_pieces([(0, IMAGE)], size)
    data = capture(SESS, *[bufr] * 50, DONE)
    peak, (samples, _) = peak_memory(lambda: read_capture(data))
    assert len(samples) == 150
    assert peak < 3 * size  # of address space: two images at a time


def test_pieces_prefix_gives_samples_before_the_cut() -> None:
    regions = [
        NwayRegion(2, READY, (Sample(ip=1), Sample(ip=2))),
        NwayRegion(1, READY, (Sample(ip=3),)),
    ]
    image = nway(regions, region_size=512)
    pieces = [(0, image[:256]), (256, image[256:336]), (768, image[768:808])]
    bufr = bufr_pieces(pieces, len(image))
    sess = json_chunk("SESS", session(uuid=UUID_NWAY))
    data = capture(sess, bufr, DONE)
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
        samples, _ = read_capture(capture(SESS, chunk("BUFR", bytes(payload)), DONE))
    except PfmParseError:
        return
    assert len(samples) <= max(size, len(payload)) // 40
