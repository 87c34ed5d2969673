# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the bytes of files and other streams."""

from __future__ import annotations

import errno
import gzip
import io
import mmap
import os
from pathlib import Path
from threading import Thread
from typing import Iterator

import numpy as np
import pytest
from helpers.memory import resident
from pfmparse.capture import storage
from pfmparse.capture.storage import MappedFile, Storage

SIZE, STEP = 8 << 20, 1 << 20  # bytes


def test_only_used_parts_of_mapped_file_are_resident(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(os.urandom(SIZE))
    content = path.read_bytes()
    with open(path, "rb") as stream:
        file = MappedFile(stream.fileno())
        for _ in range(2):
            parts = []
            for start in range(0, SIZE, STEP):
                file.drop(start - STEP)
                parts.append(file.read(start, start + STEP))
                assert bytes(parts[-1] or b"") == content[start : start + STEP]
                # Allow for more pages: the page fault may also have mapped pages after
                # this part.
                assert resident(path) <= 4 * STEP
        # A part that was dropped is read again when it is accessed.
        assert b"".join(part for part in parts if part is not None) == content


def test_mapped_file_truncated_later_reads_less(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(300))
    with open(path, "rb") as stream:
        file = MappedFile(stream.fileno())
        assert file.read(0, 300) == bytes(300) and file.read(0, 301) is None
        os.truncate(path, 200)
        assert file.read(100, 201) is None and file.read(100, 200) == bytes(100)


def test_empty_file_cannot_be_mapped(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.touch()
    with open(path, "rb") as stream, pytest.raises(ValueError):
        MappedFile(stream.fileno())


DATA = bytes(range(256)) * 5


@pytest.fixture(params=["file", "memory", "gzip", "pipe"])
def stream(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[io.IOBase]:
    """Yield a stream of one of these kinds; all kinds contain the same bytes."""
    path, plain = tmp_path / "x", request.param != "gzip"
    path.write_bytes(DATA if plain else gzip.compress(DATA))
    if request.param == "memory":
        yield io.BytesIO(DATA)
    elif request.param == "pipe":
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        writer = Thread(target=fifo.write_bytes, args=(DATA,))
        writer.start()
        with open(fifo, "rb") as opened:
            yield opened
        writer.join()
    else:
        with open(path, "rb") if plain else gzip.open(path) as opened:
            yield opened


def test_storage_returns_the_bytes_of_the_stream(
    stream: io.BufferedIOBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "PIECE", 100)
    monkeypatch.setattr(storage, "MAPPED", 400)
    found = Storage(stream)
    assert found.size == len(DATA)
    for offset, length in ((300, 500), (0, 3), (1270, 100), (5000, 1), (7, 1 << 62)):
        assert found.read(offset, length) == DATA[offset : offset + length]


def test_storage_keeps_the_offset_within_a_page(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(storage.PAGE) + DATA)
    with open(path, "rb") as stream:
        stream.read(10)
        found = Storage(stream)
        for offset in (0, 8, 100, storage.PAGE + 3):
            data = np.frombuffer(found.read(offset, 50), np.uint8)
            address = data.__array_interface__["data"][0]
            assert address % storage.PAGE == (10 + offset) % storage.PAGE


def is_mapped(data: memoryview) -> bool:
    """Return True if the bytes are part of a mapped file, not a copy."""
    return isinstance(data.obj, mmap.mmap)


@pytest.mark.parametrize("error", [OSError(errno.ENODEV, "no mapping"), ValueError()])
def test_storage_reads_a_file_that_cannot_be_mapped(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise error

    monkeypatch.setattr(storage, "MAPPED", 100)
    monkeypatch.setattr(storage, "MappedFile", fail)
    path = tmp_path / "x"
    path.write_bytes(DATA)
    with open(path, "rb") as stream:
        found = Storage(stream)
        assert found.read(7, 300) == DATA[7:307] and not is_mapped(found.read(0, 300))
        found.drop(300)
        assert found.read(0, 300) == DATA[:300]


def test_storage_maps_large_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "MAPPED", 100)
    path = tmp_path / "x"
    path.write_bytes(bytes(storage.PAGE) + DATA)
    with open(path, "rb") as stream:
        stream.read(10)
        found = Storage(stream)
        for offset in (0, storage.PAGE - 10, storage.PAGE + 300):
            data = found.read(offset, 100)
            assert is_mapped(data)
            assert data == path.read_bytes()[10 + offset :][:100]
        assert not is_mapped(found.read(0, 99))


def test_storage_starts_at_the_stream_position(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(DATA)
    with open(path, "rb") as stream:
        stream.read(10)
        found = Storage(stream)
        assert found.size == len(DATA) - 10 and found.read(1, 4) == DATA[11:15]


@pytest.mark.parametrize("mapped", [40, 1000])
def test_storage_of_truncated_file_reads_less(
    mapped: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "MAPPED", mapped)
    path = tmp_path / "x"
    path.write_bytes(DATA)
    with open(path, "rb") as stream:
        found = Storage(stream)
        os.truncate(path, 100)
        assert found.read(90, 50) == DATA[90:100] and found.read(200, 5) == b""
