# SPDX-License-Identifier: MIT OR GPL-2.0
"""Captures of three samples, the first two of which are at one address."""

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

# What info and report say about the capture below, in JSON, besides the samples.
SUMMARY = {
    "lost": 7,
    "lost_in_buffers": {},
    "lost_in_regions": [],
    "imprecise": 0,
    "notifications": 3,
    "truncated": False,
    "problems": [],
}


def whole_capture(flags: int = 0) -> bytes:
    """A complete capture of them; ``flags`` are the buffer's."""
    where = maps(100, [mapping(0x1000, 0x1800, 0, "[vdso]")])
    return capture(
        json_chunk("SESS", session(SETS)),
        json_chunk("MAPS", where),
        bufr(buffer(SAMPLES, flags=flags)),
        json_chunk("DONE", totals(3)),
    )


def nway_capture() -> bytes:
    """A capture whose n-way buffer was saved in pieces, twice; regions lost some."""
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
