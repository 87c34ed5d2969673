# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write buffers with the header of perfmon_sink.h.

Copyright YEAR AUTHOR
"""

import struct


def buffer(*records: bytes, version: int = 1 << 16, lost: int = 0) -> bytes:
    """Return a buffer with one region that has these records."""
    size = sum(map(len, records))
    head = struct.pack(
        "<8sIIQQQQIIIIQQQQ4Q",
        *(b"pfm-sink", 1 << 16, version, 160 + size, 160, size, size),
        *(1, 0, 0, 0),
        *(0, 0, 0, 0),
        *(lost, 0, 0, 0),
    )
    region = struct.pack("<QQQII", 1, len(records), size, 1, 0)
    return b"".join([head, region, *records])
