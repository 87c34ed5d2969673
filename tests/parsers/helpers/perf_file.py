# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read perf.data without sharing code with the writer."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional

SAMPLE = 9
BITS = (16, 0, 1, 2, 3, 7, 8)  # bits of sample_type whose words precede the chain
NAMES = ("id", "ip", "tid", "time", "addr", "cpu", "period")
CHAIN, BRANCHES, WEIGHT, SOURCE = 1 << 5, 1 << 11, 1 << 14, 1 << 15


@dataclass
class Record:
    """A record of perf.data. If it is a sample, ``fields`` contains its words."""

    kind: int
    misc: int
    body: bytes
    fields: dict[str, int] = field(default_factory=dict)
    chain: Optional[list[int]] = None
    branches: Optional[list[tuple[int, ...]]] = None


def records(path: Path) -> list[Record]:
    """Return the records of a file."""
    data = path.read_bytes()
    assert data[:8] == b"PERFILE2"
    _, each, attrs, size, at, length = struct.unpack_from("<6Q", data, 8)
    assert size % each == 0
    sample_type = struct.unpack_from("<Q", data, attrs + 24)[0]
    return list(parsed(data[at : at + length], sample_type))


def parsed(data: bytes, sample_type: int) -> Iterator[Record]:
    """Yield the records one after the other."""
    at = 0
    while at < len(data):
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        assert size >= 8 and size % 8 == 0
        record = Record(kind, misc, data[at + 8 : at + size])
        if kind == SAMPLE:
            _decode(record, sample_type)
        yield record
        at += size
    assert at == len(data)


def _decode(record: Record, sample_type: int) -> None:
    words = iter(struct.unpack(f"<{len(record.body) // 8}Q", record.body))
    for bit, name in zip(BITS, NAMES):
        if sample_type >> bit & 1:
            record.fields[name] = next(words)
    if sample_type & CHAIN:
        record.chain = [next(words) for _ in range(next(words))]
    if sample_type & BRANCHES:
        record.branches = [
            (next(words), next(words), next(words)) for _ in range(next(words))
        ]
    for mask, name in ((WEIGHT, "weight"), (SOURCE, "source")):
        if sample_type & mask:
            record.fields[name] = next(words)
    assert next(words, None) is None
