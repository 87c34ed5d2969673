# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build buffers of formats with a sink (perfmon_sink.h)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Optional, Sequence

FREE, FILLING, READY = range(3)
REGION_SIZE = 256

# The UUID of a format without a parser.
UUID_SINK = "00000000-0000-4000-8000-00000000000b"


@dataclass(frozen=True)
class SinkRegion:
    """A region. By default, ``count`` and ``used`` are right for the records."""

    seq: int = 0
    records: tuple[bytes, ...] = ()
    state: int = READY
    count: Optional[int] = None
    used: Optional[int] = None

    def body(self) -> bytes:
        """Return the bytes of the records; each record begins at a multiple of 8."""
        return b"".join(r.ljust(-(-len(r) // 8) * 8, b"\xa5") for r in self.records)

    def header(self) -> bytes:
        """Return the region's header in the buffer."""
        count = len(self.records) if self.count is None else self.count
        used = len(self.body()) if self.used is None else self.used
        return struct.pack("<QQQII", self.seq, count, used, self.state, 0)


def sink(
    regions: Sequence[SinkRegion], skipped: Optional[int] = None, **fields: int
) -> bytes:
    """Build a buffer that lost 2, 3, 4 and 5 samples for four reasons, and overwrote 6.

    Without ``skipped``, the header has version 1.0. ``fields`` replace header fields.
    """
    more = b"" if skipped is None else struct.pack("<4Q", skipped, 0, 0, 0)
    more_offs = 128 + 32 * len(regions)
    offs = more_offs + len(more)
    values = {
        "magic": int.from_bytes(b"pfm-sink", "little"),
        "version": 1 << 16 | bool(more),
        "fmt_version": 1 << 16,
        "buf_size": offs + len(regions) * REGION_SIZE,
        "region_offs": offs,
        "region_size": REGION_SIZE,
        "max_record": 64,
        "num_regions": len(regions),
        "flags": 0,
        "cur_region": 0,
        "more_offs": more_offs if more else 0,
        "fills": 0,
        "freed": 0,
        "past": 0,
        "overwritten": 6,
        **{f"lost{n}": 2 + n for n in range(4)},
        **fields,
    }
    head = struct.pack("<QIIQQQQIIIIQQQQQQQQ", *values.values())
    head += b"".join(region.header() for region in regions) + more
    return head + b"".join(r.body().ljust(REGION_SIZE, b"\xa5") for r in regions)
