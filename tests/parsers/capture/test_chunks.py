# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read chunks of a capture: checksums, limits and skipped chunks."""

from __future__ import annotations

import ctypes
import io
import struct
import zlib
from pathlib import Path
from typing import Iterator, Optional

import numpy as np
import pytest
from helpers.readers import peak_memory, read_capture, read_stream
from helpers.sample_capture import ALL, DONE, FIRST, SECOND, SESS
from helpers.writers import HDR_SIZE, capture, chunk
from pfmparse.capture import chunks as module
from pfmparse.capture.chunks import MAX_PAYLOAD, SMALL, crc32, crc32_of_each


def _no_library(name: str) -> ctypes.CDLL:
    raise OSError(name)


@pytest.fixture(params=["installed libraries", "without libdeflate"])
def libraries(request: pytest.FixtureRequest) -> Iterator[None]:
    """Clear the cached library lookup before and after the test."""
    module._libdeflate.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "without libdeflate":
            patch.setattr(ctypes, "CDLL", _no_library)
        yield
    module._libdeflate.cache_clear()


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1, 3 * SMALL + 5])
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_checksum_equals_zlib_crc32(size: int, kind: type) -> None:
    data = np.random.default_rng(size).bytes(size)
    assert crc32(kind(data)) == zlib.crc32(data)


@pytest.mark.usefixtures("libraries")
def test_checksums_of_parts_equal_zlib_crc32() -> None:
    data = np.random.default_rng(1).bytes(1000)
    parts = [(0, 1000), (5, 0), (7, 300), (999, 1)]
    begins, sizes = (list(column) for column in zip(*parts))
    found = crc32_of_each(memoryview(data), begins, sizes)
    assert found == [zlib.crc32(data[at : at + size]) for at, size in parts]


def test_small_checksum_does_not_load_libdeflate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(module, "_libdeflate", lambda: asked.append(True))
    for size in (0, SMALL):
        crc32(bytes(size))
    assert asked == []
    crc32(bytes(SMALL + 1))
    assert asked == [True]


def test_unknown_chunks_are_skipped() -> None:
    news = chunk("NEWS", b"x" * 1001, flags=0x80)
    samples, recording = read_capture(capture(news, SESS, news, FIRST, SECOND, DONE))
    assert samples == ALL and recording.problems == []


def test_bad_payload_checksum_skips_one_chunk() -> None:
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


# Proves H26
@pytest.mark.parametrize("kind", ["BUFR", "KSYM", "MAPS", "NEWS"])
@pytest.mark.parametrize("length", [60 << 20, 256 << 20, 1 << 40, (1 << 64) - 1])
def test_huge_length_allocates_at_most_the_file_size(
    kind: str, length: int, tmp_path: Path
) -> None:
    head = struct.pack("<4sIQI", kind.encode(), 0, length, 0)
    bad = head + struct.pack("<I", zlib.crc32(head)) + bytes(100)
    path = tmp_path / "x.pfm"
    path.write_bytes(capture(SESS, FIRST, bad))
    with open(path, "rb") as stream:
        peak, (_, recording) = peak_memory(lambda: read_stream(stream))
    assert peak < 4 << 20
    assert recording.samples == 4 and recording.truncated


class Pipe(io.BytesIO):
    """A stream that cannot seek and returns only a few bytes per read."""

    def seekable(self) -> bool:
        """Return False, as a pipe does."""
        return False

    def seek(self, offset: int, whence: int = 0) -> int:
        """Raise an error, as a pipe does."""
        raise io.UnsupportedOperation("seek")

    def read(self, size: Optional[int] = -1, /) -> bytes:
        """Read at most 7 bytes."""
        return super().read(7)


def test_capture_is_read_from_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfmparse.capture.storage.PIECE", 16)
    data = capture(SESS, FIRST, SECOND, DONE)
    samples, recording = read_stream(Pipe(data))
    assert samples == ALL and not recording.problems
    for end in range(len(capture(SESS)), len(data)):
        _, recording = read_stream(Pipe(data[:end]))
        assert recording.truncated


def test_huge_length_in_pipe_allocates_bytes_read() -> None:
    head = struct.pack("<4sIQI", b"BUFR", 0, 256 << 20, 0)
    bad = head + struct.pack("<I", zlib.crc32(head)) + bytes(100)
    data = capture(SESS, FIRST, bad)
    peak, (_, recording) = peak_memory(lambda: read_stream(Pipe(data)))
    assert peak < 4 << 20
    assert recording.samples == 4 and recording.truncated


# Proves H26
@pytest.mark.parametrize("kind", ["MAPS", "PROC", "KSYM"])
def test_damaged_payloads_are_not_kept(kind: str) -> None:
    bad = chunk(kind, bytes(4 << 20), compress=True)
    peak, (_, recording) = peak_memory(
        lambda: read_capture(capture(SESS, FIRST, *[bad] * 9, SECOND, DONE))
    )
    assert peak < 24 << 20
    assert len(recording.problems) == 9


# Proves H26
@pytest.mark.parametrize("kind", ["MAPS", "DONE", "KSYM", "KEND"])
def test_zip_bomb_is_stopped_at_the_limit(kind: str) -> None:
    limit = MAX_PAYLOAD[kind]
    pump = zlib.compressobj(9)
    bomb = b"".join(pump.compress(bytes(1 << 20)) for _ in range(3 * limit >> 20))
    bad = chunk(kind, bomb + pump.flush(), flags=1)
    data = capture(SESS, FIRST, bad, SECOND, DONE)
    peak, (_, recording) = peak_memory(lambda: read_capture(data))
    assert peak < limit + (limit >> 2) + (8 << 20)
    assert recording.samples == 6
    assert "decompressed payload has more than" in recording.problems[0].message


def test_payload_beyond_the_limit_is_skipped() -> None:
    big = chunk("MAPS", bytes(MAX_PAYLOAD["MAPS"] + 1))
    samples, recording = read_capture(capture(SESS, FIRST, big, SECOND, DONE))
    assert samples == ALL
    assert "exceeds the limit" in recording.problems[0].message
