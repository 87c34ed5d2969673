# SPDX-License-Identifier: MIT OR GPL-2.0
"""The capture reader (docs/capture.md)."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zlib
from pathlib import Path
from typing import Any, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.capture.chunks import MAX_PAYLOAD
from pfmparse.errors import PfmParseError
from pfmparse.recording import Recording
from readers import read_capture, read_stream
from writers import (
    HDR_SIZE,
    Sample,
    buffer,
    bufr,
    capture,
    chunk,
    json_chunk,
    mapping,
    maps,
    pmd,
    session,
    totals,
)

SAMPLES = [Sample(ip=0x1000 + i, tstamp=i) for i in range(6)]
SESS = json_chunk("SESS", session())
DONE = json_chunk("DONE", totals(6))
FIRST, SECOND = bufr(buffer(SAMPLES[:4])), bufr(buffer(SAMPLES[4:]))
ALL = [sample.as_dict() for sample in SAMPLES]


def full_capture() -> bytes:
    """A capture with every type of chunk and one that is unknown."""
    kernel = b"ffffffff81000000 T start\nffffffffc0000000 t f\t[mod]\n"
    return capture(
        SESS,
        json_chunk("MAPS", maps(100, [mapping(0x1000, 0x2000, 0, "/bin/x")])),
        chunk("KSYM", kernel, compress=True),
        chunk("NEWS", b"from the future"),
        FIRST,
        SECOND,
        DONE,
    )


def test_buffers_are_concatenated() -> None:
    samples, recording = read_capture(capture(SESS, FIRST, SECOND, DONE))
    assert samples == ALL
    assert recording.samples == 6 and recording.buffers == 2
    assert recording.lost == 7 and recording.notifications == 3
    assert recording.problems == []


def test_capture_without_buffers_has_no_samples() -> None:
    samples, recording = read_capture(capture(SESS, json_chunk("DONE", totals(0))))
    assert samples == [] and not recording.truncated and not recording.useless


def test_unknown_chunks_are_skipped() -> None:
    news = chunk("NEWS", b"x" * 1001, flags=0x80)
    samples, recording = read_capture(capture(news, SESS, news, FIRST, SECOND, DONE))
    assert samples == ALL and recording.problems == []


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


# Proves H27, H28
def test_missing_done_is_a_truncation() -> None:
    samples, recording = read_capture(capture(SESS, FIRST, SECOND))
    assert samples == ALL and recording.truncated
    assert recording.lost is None and recording.notifications is None


def test_wrong_payload_checksum_loses_that_chunk_only() -> None:
    bad = bytearray(FIRST)
    bad[24 + 24 + HDR_SIZE] ^= 1
    samples, recording = read_capture(capture(SESS, bytes(bad), SECOND, DONE))
    assert samples == ALL[4:]
    assert [p.offset for p in recording.problems] == [len(capture(SESS)) + 24]
    assert not recording.truncated


def test_wrong_header_checksum_ends_the_file() -> None:
    bad = bytearray(SECOND)
    bad[8] ^= 1
    samples, recording = read_capture(capture(SESS, FIRST, bytes(bad), FIRST, DONE))
    assert samples == ALL[:4]
    assert recording.problems[0].offset == len(capture(SESS, FIRST))


# Proves H27
def test_every_prefix_gives_its_whole_samples() -> None:
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


# Proves H26
@pytest.mark.parametrize("mask", [0x01, 0xFF])
def test_every_flipped_byte_gives_samples_or_the_error_type(mask: int) -> None:
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
def test_mutated_capture_gives_samples_or_the_error_type(data: st.DataObject) -> None:
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
    st.sampled_from(["SESS", "MAPS", "KSYM", "BUFR", "DONE"]),
    st.data(),
    st.booleans(),
)
def test_mutated_payload_with_right_checksum_gives_samples_or_the_error_type(
    kind: str, data: st.DataObject, compress: bool
) -> None:
    payloads = {
        "SESS": json.dumps(session()).encode(),
        "MAPS": json.dumps(maps(1, [mapping(1, 2, 0, "/x", "ab")])).encode(),
        "KSYM": b"ffffffff81000000 T start\n",
        "BUFR": struct.pack("<IIQQ", 0, 0, 0, 1 << 20) + buffer(SAMPLES),
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
def test_arbitrary_bytes_are_no_capture(data: bytes) -> None:
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
def test_what_is_no_usable_capture_is_refused(data: bytes, offset: int) -> None:
    with pytest.raises(PfmParseError) as error:
        read_capture(data)
    assert error.value.offset == offset


def test_unknown_format_names_the_known_ones() -> None:
    data = capture(json_chunk("SESS", session(uuid="00" * 16)))
    with pytest.raises(PfmParseError, match="d139b29e.*4d72bec0"):
        read_capture(data)


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
        chunk("DONE", b"\xff"),
        chunk("KSYM", b"no symbols here"),
        SESS,
    ],
)
def test_chunk_that_cannot_be_read_is_a_problem_and_no_more(bad: bytes) -> None:
    samples, recording = read_capture(capture(SESS, FIRST, bad, SECOND, DONE))
    assert samples == ALL
    assert len(recording.problems) == 1 and not recording.truncated


def test_damaged_capture_is_useless_only_without_any_sample() -> None:
    _, recording = read_capture(capture(SESS, bufr(b"no header"), DONE))
    assert recording.useless
    _, recording = read_capture(capture(SESS, bufr(b"no header"), FIRST, DONE))
    assert not recording.useless


def peak_memory(read: Callable[[], tuple[object, Recording]]) -> tuple[int, Recording]:
    """Bytes that Python allocated at most, and the recording that was read."""
    tracemalloc.start()
    try:
        _, recording = read()
        return tracemalloc.get_traced_memory()[1], recording
    finally:
        tracemalloc.stop()


# Proves H26
@pytest.mark.parametrize("kind", ["BUFR", "KSYM", "MAPS", "NEWS"])
@pytest.mark.parametrize("length", [60 << 20, 256 << 20, 1 << 40, (1 << 64) - 1])
def test_huge_length_allocates_no_more_than_the_file_holds(
    kind: str, length: int, tmp_path: Path
) -> None:
    head = struct.pack("<4sIQI", kind.encode(), 0, length, 0)
    bad = head + struct.pack("<I", zlib.crc32(head)) + bytes(100)
    path = tmp_path / "x.pfm"
    path.write_bytes(capture(SESS, FIRST, bad))
    with open(path, "rb") as stream:
        peak, recording = peak_memory(lambda: read_stream(stream))
    assert peak < 4 << 20
    assert recording.samples == 4 and recording.truncated


class Pipe(io.BytesIO):
    """A stream that cannot seek and gives few bytes at once."""

    def seekable(self) -> bool:
        """It cannot."""
        return False

    def seek(self, offset: int, whence: int = 0) -> int:
        """Fails."""
        raise io.UnsupportedOperation("seek")

    def readinto(self, buffer: Any) -> int:
        """At most 7 bytes."""
        return super().readinto(memoryview(buffer)[:7])


def test_capture_is_read_from_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfmparse.capture.chunks.PIECE", 16)
    data = capture(SESS, FIRST, SECOND, DONE)
    samples, recording = read_stream(Pipe(data))
    assert samples == ALL and not recording.problems
    for end in range(len(capture(SESS)), len(data)):
        _, recording = read_stream(Pipe(data[:end]))
        assert recording.truncated


def test_huge_length_in_a_pipe_allocates_about_what_was_read() -> None:
    head = struct.pack("<4sIQI", b"BUFR", 0, 256 << 20, 0)
    bad = head + struct.pack("<I", zlib.crc32(head)) + bytes(100)
    data = capture(SESS, FIRST, bad)
    peak, recording = peak_memory(lambda: read_stream(Pipe(data)))
    assert peak < 4 << 20
    assert recording.samples == 4 and recording.truncated


# Proves H26
@pytest.mark.parametrize("kind", ["MAPS", "DONE", "KSYM"])
def test_zip_bomb_is_stopped_at_the_limit(kind: str) -> None:
    limit = MAX_PAYLOAD[kind]
    pump = zlib.compressobj(9)
    bomb = b"".join(pump.compress(bytes(1 << 20)) for _ in range(3 * limit >> 20))
    bad = chunk(kind, bomb + pump.flush(), flags=1)
    data = capture(SESS, FIRST, bad, SECOND, DONE)
    peak, recording = peak_memory(lambda: read_capture(data))
    assert peak < limit + (limit >> 2) + (8 << 20)
    assert recording.samples == 6
    assert "decompresses to more than" in recording.problems[0].message


def test_payload_beyond_the_limit_is_skipped() -> None:
    big = chunk("MAPS", bytes(MAX_PAYLOAD["MAPS"] + 1))
    samples, recording = read_capture(capture(SESS, FIRST, big, SECOND, DONE))
    assert samples == ALL
    assert "at most" in recording.problems[0].message


def test_several_contexts_are_concatenated() -> None:
    sess = session()
    sess["mode"] = "system-wide"
    sess["contexts"] = [
        {"id": n, "tid": None, "cpu": n, "buf_size": 4096} for n in range(2)
    ]
    chunks = [bufr(buffer([Sample(cpu=n)]), context=n) for n in (1, 0)]
    data = capture(json_chunk("SESS", sess), *chunks, DONE)
    assert [sample["cpu"] for sample in read_capture(data)[0]] == [1, 0]


def test_samples_of_several_sets_are_decoded() -> None:
    sess = session({0: [pmd(0, [1])], 1: [pmd(0, [2, 3])]})
    samples = [
        Sample(set=0, pmds=((1, 10),)),
        Sample(set=1, pmds=((2, 20), (3, 30))),
    ]
    data = capture(json_chunk("SESS", sess), bufr(buffer(samples)), DONE)
    assert read_capture(data)[0] == [sample.as_dict() for sample in samples]
