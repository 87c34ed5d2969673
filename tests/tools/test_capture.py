# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that pfmon's capture.c writes captures as docs/capture.md describes."""

from __future__ import annotations

import struct
import subprocess
import zlib
from pathlib import Path

import pytest
from chunks import chunks_of

PACKED = 1


@pytest.fixture(scope="module", name="data")
def fixture_data(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("capture") / "capture"
    path.write_bytes(b"x" * 100_000)
    subprocess.run([programs / "capture_writer", path], check=True)
    return path.read_bytes()


def test_capture_replaces_file_content(data: bytes) -> None:
    assert data[:16] == b"PFMCAP\r\n" + struct.pack("<II", 1, 0)
    assert len(data) < 100_000


def test_chunks_come_in_order_and_fill_the_file(data: bytes) -> None:
    kinds = [chunk.kind for chunk in chunks_of(data)]
    assert kinds == [b"TEXT"] * 17 + [b"KSYM"] + [b"BUFR"] * 3


def test_chunk_payloads_are_zero_padded(data: bytes) -> None:
    texts = [chunk for chunk in chunks_of(data) if chunk.kind == b"TEXT"]
    for length, chunk in enumerate(texts):
        assert chunk.flags == 0
        assert chunk.payload == b"0123456789abcdef"[:length]
        assert chunk.padding == bytes(-length % 8)


def test_packed_payload_is_a_zlib_stream(data: bytes) -> None:
    (chunk,) = [chunk for chunk in chunks_of(data) if chunk.kind == b"KSYM"]
    text = "".join(f"{i:016x} t symbol_{i}\n" for i in range(1000))
    assert chunk.flags == PACKED
    assert zlib.decompress(chunk.payload).decode() == text
    assert len(chunk.payload) < len(text)


CONTENT = bytes(i * 7 % 256 for i in range(4096))
TIME = 0x0102030405060708


def payloads_of(data: bytes) -> list[bytes]:
    return [chunk.payload for chunk in chunks_of(data) if chunk.kind == b"BUFR"]


def test_buffer_chunk_may_be_truncated(data: bytes) -> None:
    whole, cut, _ = payloads_of(data)
    assert whole == struct.pack("<IIQQ", 3, 0, TIME, 4096) + CONTENT
    assert cut == struct.pack("<IIQQ", 0, 0, TIME, 4096) + CONTENT[:200]


def test_buffer_pieces_follow_their_table(data: bytes) -> None:
    *_, pieces = payloads_of(data)
    header = struct.pack("<IIQQ", 1, 2, TIME, 4096)
    table = struct.pack("<4Q", 8, 16, 1000, 3)
    assert pieces == header + table + CONTENT[8:24] + CONTENT[1000:1003]


def test_full_disk_is_reported(programs: Path) -> None:
    run = subprocess.run(
        [programs / "capture_writer", "/dev/full"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "No space left" in run.stderr
