# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build captures of call stacks whose functions have known names."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Optional, Sequence

from helpers import writers
from helpers.sink_buffer import READY, SinkRegion, sink

UUID_CALLSTACK = "bad42f83-abb5-4fb1-bc94-36de0415f7ca"
TGID, WORKER = 100, 101
KERNEL = 0xFFFFFFFF81000000
FIRST_TIME = 1_000_000_000  # ns


@dataclass(frozen=True)
class Stack:
    """A number of equal samples. ``functions`` is their call stack, innermost first."""

    functions: tuple[str, ...]
    samples: int = 1
    pmd: int = 0
    tid: int = TGID


STACKS = (
    Stack(("hot", "main"), 6),
    Stack(("warm", "main"), 3, pmd=1),
    Stack(("schedule", "warm", "main"), 1, tid=WORKER),
)


def stack_capture(
    stacks: Sequence[Stack] = STACKS,
    names: Sequence[str] = ("hot", "warm", "main"),
    at_once: Optional[int] = None,
    contexts: int = 1,
) -> bytes:
    """Build a capture of these stacks, in which ``names`` are JIT-compiled functions.

    Each buffer contains at most ``at_once`` samples; by default, one buffer contains
    all. Each context has a copy of all buffers.
    """
    places = {name: 0x1000 + 0x100 * at for at, name in enumerate(names)}
    text = "".join(f"{at:x} 100 {name}\n" for name, at in places.items())
    places["schedule"] = KERNEL + 0x100
    records = tuple(
        _record(number, stack, [places[name] for name in stack.functions])
        for number, stack in enumerate(s for s in stacks for _ in range(s.samples))
    )
    count = len(records)
    step = max(1, at_once or count)
    parts = [records[at : at + step] for at in range(0, max(1, count), step)]
    return writers.capture(
        writers.json_chunk("SESS", _session()),
        writers.thrd(
            writers.thread(TGID, TGID, "program"),
            writers.thread(WORKER, TGID, "worker"),
        ),
        writers.json_chunk("MAPS", writers.maps(TGID, [], "program")),
        writers.jitm(TGID, text),
        writers.chunk(
            "KSYM", f"{KERNEL:x} T _text\n{places['schedule']:x} T schedule\n".encode()
        ),
        *(writers.ctxt(number, TGID, TGID) for number in range(1, contexts)),
        *(
            writers.bufr(_buffer(at, part), number)
            for number in range(contexts)
            for at, part in enumerate(parts, 1)
        ),
        writers.json_chunk("DONE", writers.totals(count * contexts)),
    )


def _buffer(number: int, records: tuple[bytes, ...]) -> bytes:
    region = SinkRegion(number, records, READY)
    size = len(region.body())
    losses = {f"lost{reason}": 0 for reason in range(4)}
    return sink(
        [region], region_size=size, buf_size=160 + size, overwritten=4, **losses
    )


def _session() -> writers.Json:
    return writers.session({0: [writers.pmd(0), writers.pmd(1)]}, UUID_CALLSTACK)


def _record(number: int, stack: Stack, places: list[int]) -> bytes:
    # A return address points to the byte after the call.
    chain = [places[0] + 4, *(place + 0x11 for place in places[1:])]
    kernel = sum(address >= KERNEL for address in chain)
    head = struct.pack("<QQ", FIRST_TIME + 1000 * number, chain[0])
    head += struct.pack("<IIHHHH", stack.tid, TGID, stack.pmd, 1, 0, 0)
    head += struct.pack("<HHI", kernel, len(chain) - kernel, 0)
    return head + struct.pack(f"<{len(chain)}Q", *chain)
