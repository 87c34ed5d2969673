# SPDX-License-Identifier: MIT OR GPL-2.0
"""Buffer copies in BUFR chunks."""

from __future__ import annotations

import io

import pytest
from helpers.readers import read_capture
from helpers.sample_capture import ALL, DONE, FIRST, SAMPLES, SESS
from helpers.writers import (
    HDR_SIZE,
    Sample,
    buffer,
    bufr,
    bufr_pieces,
    capture,
    chunk,
    mapped,
    mapping,
)
from pfmparse.capture import Capture
from pfmparse.capture.buffer import Buffer


def test_compressed_buffer_is_decoded() -> None:
    data = capture(SESS, bufr(buffer(SAMPLES), compress=True), DONE)
    assert read_capture(data)[0] == ALL


def test_buffer_problem_has_its_file_offset() -> None:
    bad = buffer([Sample(), Sample(ovfl_pmd=9)])
    start = len(capture(SESS)) + 24 + 24
    _, recording = read_capture(capture(SESS, bufr(bad), DONE))
    assert [p.offset for p in recording.problems] == [start + HDR_SIZE + 40]


def test_compressed_buffer_problem_names_its_byte() -> None:
    bad = buffer([Sample(), Sample(ovfl_pmd=9)])
    _, recording = read_capture(capture(SESS, bufr(bad, compress=True), DONE))
    assert [p.offset for p in recording.problems] == [len(capture(SESS)) + 24]
    assert f"byte {HDR_SIZE + 40:#x}" in recording.problems[0].message


def copies(data: bytes) -> list[Buffer]:
    """Return the buffer copies in a capture."""
    return list(Capture(io.BytesIO(data)).buffers())


IMAGE = buffer(SAMPLES)


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
        (chunk("BUFR", bytes(23)), "BUFR of 23 bytes"),
        (bufr(buffer(SAMPLES), context=5), "context 5, which is not in the session"),
    ],
)
def test_bad_buffer_copy_is_reported(bad: bytes, message: str) -> None:
    _, recording = read_capture(capture(SESS, bad, DONE))
    (problem,) = recording.problems
    assert message in problem.message and not problem.truncated
    assert problem.offset == len(capture(SESS)) + 24
