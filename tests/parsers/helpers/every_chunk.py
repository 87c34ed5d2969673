# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build a capture with all types of chunks that describe code, processes and time."""

from __future__ import annotations

from helpers import vdso, writers
from helpers.writers import Sample

TGID, WORKER, CHILD = 100, 101, 200
BUILD_ID = bytes(range(20))
CODE, MADE, VDSO, KERNEL = 0x401000, 0x5000, 0x7F0000000000, 0xFFFFFFFF81000000
S = 10**9


def made() -> bytes:
    """Build a capture of samples in a file, a vDSO, JIT-compiled code and a kernel."""
    image = vdso.own_image()
    places = CODE, MADE + 4, VDSO + 0x800, VDSO + 0xA00, KERNEL + 0x10
    samples = [
        Sample(ip=ip, pid=tid, tgid=tgid, tstamp=at * S)
        for at, (ip, (tid, tgid)) in enumerate(
            (ip, who)
            for ip in places
            for who in ((TGID, TGID), (WORKER, TGID), (CHILD, CHILD))
        )
    ]
    mapped = [
        writers.mapping(CODE, CODE + 0x1000, 0, "/no/program", "ab" * 20),
        writers.mapping(VDSO, VDSO + len(image), 0, "[vdso]", BUILD_ID.hex()),
    ]
    return writers.capture(
        writers.json_chunk("SESS", writers.session()),
        writers.clck(0, S),
        writers.chunk("VDSO", vdso.payload(BUILD_ID, image), compress=True),
        writers.json_chunk("MAPS", writers.maps(TGID, mapped, "program")),
        writers.thrd(writers.thread(TGID, TGID, "program")),
        writers.chunk("KSYM", f"{KERNEL:x} T _text\n".encode(), compress=True),
        writers.ctxt(1, WORKER, TGID),
        writers.bufr(writers.buffer(samples[::2])),
        _tick(1),
        writers.proc(
            writers.fork(S, CHILD, TGID),
            writers.exec_of(2 * S, CHILD, "child", "/group"),
            writers.maps_file(3 * S, CHILD, mapped[0]),
            writers.renamed(4 * S, TGID, WORKER, "worker"),
            writers.code_of(5 * S, KERNEL, KERNEL + 1, "bpf_prog"),
        ),
        writers.bufr(writers.buffer(samples[1::2]), 1),
        _tick(2),
        writers.jitm(TGID, f"{MADE:x} 10 made\n"),
        writers.jitm(TGID, f"1 {MADE + 0x10:x} 10 1 dumped\n", kind="JITD"),
        writers.clck(20 * S, 21 * S),
        writers.chunk("KEND", f"{KERNEL:x} T _text\n".encode(), compress=True),
        writers.json_chunk("DONE", writers.totals(len(samples))),
    )


def _tick(number: int) -> bytes:
    tick = {"elapsed_ns": number * S, "samples": number, "lost": 1}
    return writers.json_chunk("TICK", tick)
