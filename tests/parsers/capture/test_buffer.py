# SPDX-License-Identifier: MIT OR GPL-2.0
"""The copies of buffers in BUFR chunks."""

from __future__ import annotations

from readers import read_capture
from sample_capture import ALL, DONE, SAMPLES, SESS
from writers import HDR_SIZE, Sample, buffer, bufr, capture


def test_compressed_buffer_is_decoded() -> None:
    data = capture(SESS, bufr(buffer(SAMPLES), compress=True), DONE)
    assert read_capture(data)[0] == ALL


def test_problem_in_a_buffer_has_its_offset_in_the_file() -> None:
    bad = buffer([Sample(), Sample(ovfl_pmd=9)])
    start = len(capture(SESS)) + 24 + 24
    _, recording = read_capture(capture(SESS, bufr(bad), DONE))
    assert [p.offset for p in recording.problems] == [start + HDR_SIZE + 40]


def test_problem_in_a_compressed_buffer_names_its_byte() -> None:
    bad = buffer([Sample(), Sample(ovfl_pmd=9)])
    _, recording = read_capture(capture(SESS, bufr(bad, compress=True), DONE))
    assert [p.offset for p in recording.problems] == [len(capture(SESS)) + 24]
    assert f"byte {HDR_SIZE + 40:#x}" in recording.problems[0].message
