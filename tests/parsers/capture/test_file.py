# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read captures as a whole (docs/capture.md)."""

from __future__ import annotations

import io
import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from helpers.memory import resident
from helpers.readers import read_capture
from helpers.sample_capture import ALL, DONE, FIRST, SAMPLES, SECOND, SESS, full_capture
from helpers.writers import (
    HDR_SIZE,
    buffer,
    bufr,
    capture,
    chunk,
    clock_moment,
    cook,
    ctxt,
    json_chunk,
    mapping,
    maps,
    session,
    thread,
    totals,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse import Capture, open_capture
from pfmparse.capture import file, index
from pfmparse.commands.dump import samples_as_dicts
from pfmparse.errors import PfmParseError


def test_buffers_are_concatenated() -> None:
    samples, recording = read_capture(capture(SESS, FIRST, SECOND, DONE))
    assert samples == ALL
    assert recording.samples == 6 and recording.buffers == 2
    assert recording.lost == 7 and recording.notifications == 3
    assert recording.problems == []


def test_capture_without_buffers_has_no_samples() -> None:
    samples, recording = read_capture(capture(SESS, json_chunk("DONE", totals(0))))
    assert samples == [] and not recording.truncated and not recording.useless


# Proves H27, H28
def test_missing_done_chunk_is_a_truncation() -> None:
    samples, recording = read_capture(capture(SESS, FIRST, SECOND))
    assert samples == ALL and recording.truncated
    assert recording.lost is None and recording.notifications is None


# Proves H27
def test_capture_prefix_gives_its_complete_samples() -> None:
    data = full_capture()
    first = data.index(FIRST) + 24 + 24 + HDR_SIZE
    second = data.index(SECOND) + 24 + 24 + HDR_SIZE
    ends = [first + 40 * i for i in range(1, 5)]
    ends += [second + 40 * i for i in range(1, 3)]
    session_end = len(capture(SESS[:-1].rstrip(b"\0")))
    for size in range(len(data)):
        try:
            samples, recording = read_capture(data[:size])
        except PfmParseError as error:
            assert error.truncated and size <= session_end
            continue
        assert samples == ALL[: sum(end <= size for end in ends)]
        assert recording.truncated or size > len(data) - 8
        assert not recording.useless


@pytest.mark.parametrize("following", [FIRST, DONE, b""], ids=["BUFR", "DONE", "end"])
@pytest.mark.parametrize("damaged", [False, True])
def test_capture_without_session_says_why(damaged: bool, following: bytes) -> None:
    bad = SESS[:30] + bytes([SESS[30] ^ 1]) + SESS[31:]
    complaint = "SESS has a wrong checksum" if damaged else "not the first chunk"
    with pytest.raises(PfmParseError, match=complaint) as error:
        read_capture(capture(bad if damaged else b"", following))
    assert error.value.truncated == (not damaged and not following)


# Proves H26
@pytest.mark.parametrize("mask", [0x01, 0xFF])
def test_flipped_byte_gives_samples_or_pfmparseerror(mask: int) -> None:
    data = full_capture()
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= mask
        try:
            samples, _ = read_capture(bytes(changed))
        except PfmParseError:
            continue
        assert samples in (ALL, ALL[:4], ALL[4:], [])


# Proves H26
@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.data())
def test_mutated_capture_parses_or_fails_cleanly(data: st.DataObject) -> None:
    image = bytearray(full_capture())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(image) - 1))
        end = at + data.draw(st.integers(0, 3))
        image[at:end] = data.draw(st.binary(max_size=9))
    try:
        read_capture(bytes(image))
    except PfmParseError:
        pass


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.sampled_from(
        [
            *("SESS", "MAPS", "THRD", "JITM", "JITD", "CLCK"),
            *("FARG", "KSYM", "BUFR", "KEND", "DONE"),
        ]
    ),
    st.data(),
    st.booleans(),
)
def test_mutated_payload_parses_or_fails_cleanly(
    kind: str, data: st.DataObject, compress: bool
) -> None:
    payloads = {
        "SESS": json.dumps(session()).encode(),
        "MAPS": json.dumps(maps(1, [mapping(1, 2, 0, "/x", "ab")])).encode(),
        "THRD": json.dumps({"threads": [thread(2, 1, "x")]}).encode(),
        "JITM": struct.pack("<II", 1, 0) + b"5000 10 made\n",
        "JITD": struct.pack("<II", 1, 0) + b"1 5000 10 1 made\n2 6000 10 1\n",
        "CLCK": json.dumps(clock_moment(1, 2)).encode(),
        "FARG": b'{"realtime_ns": 3, "uncertainty_ns": 1, "arg": "00"}',
        "KSYM": b"ffffffff81000000 T start\n",
        "BUFR": struct.pack("<IIQQ", 0, 0, 0, 1 << 20) + buffer(SAMPLES),
        "KEND": b"ffffffff81000000 T start\n",
        "DONE": json.dumps(totals(6)).encode(),
    }
    image = bytearray(payloads[kind])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(image) - 1))
        end = at + data.draw(st.integers(0, 3))
        image[at:end] = data.draw(st.binary(max_size=5))
    payloads[kind] = bytes(image)
    chunks = [chunk(name, text, compress) for name, text in payloads.items()]
    try:
        read_capture(capture(*chunks))
    except PfmParseError:
        pass


# Proves H26
@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(PfmParseError):
        read_capture(data)
    with pytest.raises(PfmParseError):
        read_capture(capture(data))


@pytest.mark.parametrize(
    "data,offset",
    [
        (b"", 0),
        (b"PERFILE2" + bytes(8), 0),
        (b"PFMCAP\r\n" + struct.pack("<II", 2, 0), 8),
        (capture(), 16),
        (capture(DONE), 16),
        (capture(json_chunk("SESS", {**session(), "version": 2})), 40),
        (capture(json_chunk("SESS", session(uuid="00" * 16))), 0),
    ],
)
def test_unusable_capture_is_refused(data: bytes, offset: int) -> None:
    with pytest.raises(PfmParseError) as error:
        read_capture(data)
    assert error.value.offset == offset


@pytest.mark.parametrize(
    "bad",
    [
        chunk("BUFR", b"short"),
        bufr(b"no header"),
        bufr(buffer(SAMPLES), context=5),
        chunk("BUFR", b"not zlib", flags=1),
        chunk("BUFR", zlib.compress(FIRST[24:-8])[:-5], flags=1),
        chunk("BUFR", b"", flags=2),
        chunk("MAPS", b"{"),
        chunk("MAPS", b"[" * 100_000),
        chunk("MAPS", b'{"tgid": ' + b"9" * 10_000 + b"}"),
        chunk("THRD", b"[]"),
        chunk("JITM", b"1000 10"[:7]),
        chunk("JITD", b"1000 10"[:7]),
        chunk("CLCK", b"{}"),
        chunk("FARG", b"{}"),
        chunk("DONE", b"\xff"),
        chunk("KSYM", b"no symbols here"),
        SESS,
    ],
)
def test_unreadable_chunk_is_one_problem(bad: bytes) -> None:
    samples, recording = read_capture(capture(SESS, FIRST, bad, SECOND, DONE))
    assert samples == ALL
    assert len(recording.problems) == 1 and not recording.truncated


def test_chunks_after_buffers_are_read_first() -> None:
    program = mapping(0x1000, 0x2000, 0, "/bin/x")
    later = [
        json_chunk("MAPS", maps(100, [program], "x")),
        chunk("KSYM", b"ffffffff81000000 T start\n", compress=True),
        cook([(5, "/x", None)]),
        DONE,
    ]
    source = open_capture(io.BytesIO(capture(SESS, FIRST, *later))).source
    assert source.maps.processes() == {100: "x"} and source.kernel is not None
    assert list(source.cookies) == [5] and source.totals is not None
    assert source.problems == []


class Counted(io.BytesIO):
    """A file that counts the bytes that are read from it."""

    number = 0

    def readinto(self, buffer: Any) -> int:
        """Read bytes and count them."""
        read = super().readinto(buffer)
        self.number += read
        return read


def test_buffers_are_read_lazily() -> None:
    stream = Counted(capture(SESS, *[bufr(bytes(1 << 20))] * 3, DONE))
    Capture(stream)
    assert stream.number < 1 << 16


@pytest.mark.parametrize("threads", [0, 1])
def test_only_buffers_in_use_are_resident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    number, size, in_use = 256, 1 << 16, 8 << 20
    monkeypatch.setattr(index, "GROUP", 4 * size)
    monkeypatch.setattr(file, "KEPT", 4 * size)
    monkeypatch.setattr(file, "ROOM", 4 * size)
    path = tmp_path / "x.pfm"
    path.write_bytes(capture(SESS, *[bufr(bytes(size))] * number, DONE))
    with open(path, "rb") as stream:
        found = 0
        for some in Capture(stream).groups(threads):
            found += sum(len(buffers.sizes) for buffers in some)
            assert any(buffers.data[0] == 0 for buffers in some)
            assert 0 < resident(path) <= in_use
    assert found == number


def test_problems_are_sorted_by_offset() -> None:
    bad, cut = chunk("MAPS", b"{"), bufr(buffer(SAMPLES))[:-50]
    parts = [SESS, bufr(b"short"), bad, bufr(b"", context=5), bad, cut]
    _, recording = read_capture(capture(*parts))
    offsets = [problem.offset for problem in recording.problems]
    assert len(offsets) == 6 and offsets == sorted(offsets)
    assert "the file ends within a chunk" in [p.message for p in recording.problems]


def test_capture_truncated_while_read_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(capture(SESS, FIRST, SECOND, DONE))
    with open(path, "rb") as stream:
        recording = open_capture(stream)
        os.truncate(path, len(capture(SESS, FIRST)) + 24 + 24 + HDR_SIZE + 40)
        samples = [s for b in recording.batches() for s in samples_as_dicts(b.samples)]
    assert samples == ALL[:5] and recording.truncated


def test_later_contexts_join_the_session() -> None:
    began = [ctxt(7, 131, 123), bufr(buffer(SAMPLES), context=7)]
    samples, recording = read_capture(capture(SESS, FIRST, *began, DONE))
    assert len(samples) == 4 + len(SAMPLES) and recording.problems == []
    later = recording.session.contexts[-1]
    assert (later.id, later.tid, later.tgid) == (7, 131, 123)


def test_buffer_of_unknown_context_is_a_problem() -> None:
    chunks = [bufr(buffer(SAMPLES), context=7), FIRST]
    samples, recording = read_capture(capture(SESS, *chunks, DONE))
    assert len(samples) < len(ALL)
    assert [problem.truncated for problem in recording.problems] == [False]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (ctxt(0, 131, 123), "duplicate context 0"),
        (json_chunk("CTXT", {"id": 7}), "CTXT: missing member 'tid'"),
        (chunk("CTXT", b"[]"), "CTXT: not an object"),
    ],
)
def test_bad_context_chunk_is_one_problem(wrong: bytes, named: str) -> None:
    samples, recording = read_capture(capture(SESS, wrong, FIRST, SECOND, DONE))
    assert samples == ALL
    assert [named in problem.message for problem in recording.problems] == [True]
