# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build captures of three samples, the first two of which have the same address."""

from __future__ import annotations

import struct

from helpers.writers import (
    FILLING,
    READY,
    UUID_NWAY,
    NwayRegion,
    Sample,
    buffer,
    bufr,
    bufr_pieces,
    capture,
    json_chunk,
    mapping,
    maps,
    nway,
    pmd,
    session,
    totals,
)

SETS = {0: [pmd(0, [2]), pmd(1, [2]), pmd(2, sampling=False)]}
SAMPLES = [
    Sample(ip=0x1000, pid=101, cpu=1, pmds=((2, (1 << 64) - 1),)),
    Sample(ip=0x1000, pid=101, pmds=((2, 5),)),
    Sample(ip=0x2000, pid=102, ovfl_pmd=1, pmds=((2, 6),)),
]

# The summary of whole_capture() in info --json and report --json.
SUMMARY = {
    "lost": 7,
    "lost_in_buffers": {},
    "lost_in_regions": [],
    "skipped": 0,
    "evicted": 0,
    "throttled": None,
    "limited": None,
    "imprecise": 0,
    "notifications": 3,
    "truncated": False,
    "problems": [],
}


def whole_capture(flags: int = 0) -> bytes:
    """Build a complete capture of the samples with the buffer flags ``flags``."""
    where = maps(100, [mapping(0x1000, 0x1800, 0, "[vdso]")])
    return capture(
        json_chunk("SESS", session(SETS)),
        json_chunk("MAPS", where),
        bufr(buffer(SAMPLES, flags=flags)),
        json_chunk("DONE", totals(3)),
    )


def nway_capture() -> bytes:
    """Build a capture of an n-way buffer with losses: two copies, each in pieces."""
    regions = [
        NwayRegion(1, READY, (Sample(ip=0x1000), Sample(ip=0x1000)), overwritten=3),
        NwayRegion(2, FILLING, (Sample(ip=0x2000),), dropped=4),
        NwayRegion(),
    ]
    data = nway(regions, overwritten=3, dropped=4)
    first = 128 + 3 * 64
    second = first + 1024
    pieces = [
        (0, data[:first]),
        (first, data[first : first + 80]),
        (second, data[second : second + 40]),
    ]
    described = session(uuid=UUID_NWAY)
    described["format"]["arg"] = struct.pack("<QII48x", 4096, 1, 2).hex()
    return capture(
        json_chunk("SESS", described),
        bufr_pieces(pieces, len(data)),
        bufr_pieces(pieces, len(data), compress=True),
        json_chunk("DONE", totals(3)),
    )
