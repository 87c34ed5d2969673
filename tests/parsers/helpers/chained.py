# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build captures with call chains of named functions."""

from __future__ import annotations

import struct
from typing import Sequence

from helpers.sink_buffer import FILLING, SinkRegion, sink
from helpers.writers import bufr, capture, chunk, json_chunk, session, totals

UUID_CALLSTACK = "bad42f83-abb5-4fb1-bc94-36de0415f7ca"
NAMES = ("main", "hot", "warm", "cold")
FIRST, SIZE = 0xFFFFFFFF81000000, 0x100  # address of the first function, size of each


def callstack_record(
    pmds: Sequence[int] = (),
    kernel: Sequence[int] = (),
    user: Sequence[int] = (),
    ip: int = 0x1000,
    end: int = 0,
    guessed: int = 0,
) -> bytes:
    """Build a record of PMD 0 in event set 0."""
    numbers = len(pmds), len(kernel), len(user), end, guessed
    head = struct.pack("<QQIIHHHHHHHH", 5, ip, 12, 11, 0, 3, 0, *numbers)
    words = (*pmds, *kernel, *user)
    return head + struct.pack(f"<{len(words)}Q", *words)


def chained_capture(stacks: Sequence[Sequence[str]]) -> bytes:
    """Build a capture with one sample per stack. A stack begins with its outermost
    function.
    """
    starts = {name: FIRST + SIZE * at for at, name in enumerate(NAMES)}
    records = []
    for stack in stacks:
        # Each return address is in mid-function, so its call is in the same function.
        chain = [starts[name] + SIZE // 2 for name in reversed(stack)]
        records.append(callstack_record(kernel=chain, ip=chain[0]))
    symbols = "".join(f"{start:x} T {name}\n" for name, start in starts.items())
    regions = [
        SinkRegion(at + 1, tuple(records[at : at + 1]), FILLING)
        for at in range(len(records))
    ]
    return capture(
        json_chunk("SESS", session(uuid=UUID_CALLSTACK)),
        chunk("KSYM", symbols.encode()),
        *(bufr(sink([region], lost0=0, lost1=0)) for region in regions),
        json_chunk("DONE", totals(len(stacks))),
    )
