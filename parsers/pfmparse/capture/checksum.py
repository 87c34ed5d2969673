# SPDX-License-Identifier: MIT OR GPL-2.0
"""CRC-32 of payloads, computed by libdeflate if it is installed."""

from __future__ import annotations

import ctypes
import zlib
from functools import cache
from typing import Any, Optional

import numpy as np

from ..layout import Data

SMALL = 1 << 14  # bytes; zlib is fast enough for these


def crc32(data: Data) -> int:
    """The CRC-32 of the data, as computed by zlib."""
    fast = _libdeflate() if len(data) > SMALL else None
    if fast is None:
        return zlib.crc32(data)
    return int(fast(0, _address(data), len(data)))


def crc32_of_each(data: memoryview, begins: list[int], sizes: list[int]) -> list[int]:
    """The checksums of parts of the data."""
    fast, parts = _libdeflate(), zip(begins, sizes)
    if fast is None:
        return [zlib.crc32(data[begin : begin + size]) for begin, size in parts]
    address = _address(data)
    return [fast(0, address + begin, size) for begin, size in parts]


def _address(data: Data) -> int:
    # Much faster than the array's ``ctypes.data``.
    return int(np.frombuffer(data, np.uint8).__array_interface__["data"][0])


@cache
def _libdeflate() -> Optional[Any]:
    """libdeflate's function, which is several times faster than zlib's."""
    try:
        function = ctypes.CDLL("libdeflate.so.0").libdeflate_crc32
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.c_uint32
    function.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t]
    return function
