# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build a capture of six samples in two buffers, and its chunks."""

from __future__ import annotations

from helpers.writers import (
    Sample,
    buffer,
    bufr,
    capture,
    chunk,
    clck,
    farg,
    jitm,
    json_chunk,
    mapping,
    maps,
    session,
    thrd,
    thread,
    totals,
)

SAMPLES = [Sample(ip=0x1000 + i, tstamp=i) for i in range(6)]
SESS = json_chunk("SESS", session())
DONE = json_chunk("DONE", totals(6))
FIRST, SECOND = bufr(buffer(SAMPLES[:4])), bufr(buffer(SAMPLES[4:]))
ALL = [sample.as_dict() for sample in SAMPLES]


def full_capture() -> bytes:
    """Build a capture with chunks of many types, one of which is unknown."""
    kernel = b"ffffffff81000000 T start\nffffffffc0000000 t f\t[mod]\n"
    return capture(
        SESS,
        json_chunk("MAPS", maps(100, [mapping(0x1000, 0x2000, 0, "/bin/x")])),
        thrd(thread(100, 100, "x")),
        clck(1, 2),
        farg(3, "00"),
        jitm(100, "5000 10 made\n"),
        chunk("KSYM", kernel, compress=True),
        chunk("NEWS", b"from the future"),
        FIRST,
        SECOND,
        DONE,
    )
