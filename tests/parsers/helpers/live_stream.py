# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the output of pfmon top: a capture with a TICK chunk at each refresh."""

from __future__ import annotations

from .writers import (
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapped,
    mapping,
    session,
    thrd,
    thread,
    totals,
)

TICKS = 3
S = 10**9


def stream(rest: int = 0, **members: object) -> bytes:
    """Build a stream of 1, 2 and 3 samples in successive seconds, then ``rest`` more.

    Each second except the first loses 5 samples. ``members`` are added to the session.
    """
    start = {**session(), **members}
    chunks = [
        json_chunk("SESS", start),
        mapped(mapping(0x400000, 0x500000, 0, "/bin/hotloops")),
        thrd(thread(100, 100, "hotloops")),
    ]
    for number in range(1, TICKS + 1):
        chunks.append(bufr(buffer([Sample()] * number)))
        tick = {"elapsed_ns": number * S, "samples": 1, "lost": 5 * (number - 1)}
        chunks.append(json_chunk("TICK", tick))
    if rest:
        chunks.append(bufr(buffer([Sample()] * rest)))
        end = {**totals(8, lost=12), "end_ns": start["start_ns"] + 4 * S}
        chunks.append(json_chunk("DONE", end))
    return capture(*chunks)
