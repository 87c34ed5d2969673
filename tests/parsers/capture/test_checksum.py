# SPDX-License-Identifier: MIT OR GPL-2.0
"""Payload checksums, with libdeflate and with zlib alone."""

from __future__ import annotations

import ctypes
import zlib
from typing import Iterator

import numpy as np
import pytest
from pfmparse.capture import checksum
from pfmparse.capture.checksum import SMALL, crc32, crc32_of_each


def _no_library(name: str) -> ctypes.CDLL:
    raise OSError(name)


@pytest.fixture(params=["installed libraries", "without libdeflate"])
def libraries(request: pytest.FixtureRequest) -> Iterator[None]:
    """Clear the cached library lookup before and after the test."""
    checksum._libdeflate.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "without libdeflate":
            patch.setattr(ctypes, "CDLL", _no_library)
        yield
    checksum._libdeflate.cache_clear()


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
    monkeypatch.setattr(checksum, "_libdeflate", lambda: asked.append(True))
    for size in (0, SMALL):
        crc32(bytes(size))
    assert asked == []
    crc32(bytes(SMALL + 1))
    assert asked == [True]
