# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the histogram format."""

from __future__ import annotations

import struct

from helpers.sink_buffer import FILLING, SinkRegion, sink
from pfmparse import Role, parse_session, session_template
from pfmparse.formats.histogram import UUID
from pfmparse.formats.registry import find_format

SESSION = parse_session(session_template(UUID), 0)


def record(tgid: int, ip: int, count: int) -> bytes:
    """Build a record of PMD 3 in event set 4."""
    return struct.pack("<HHIQQ", 3, 4, tgid, ip, count)


def test_histogram_record_weight_is_its_count() -> None:
    decode = find_format(UUID).decoder(SESSION)
    records = record(11, 0x1000, 5), record(12, 0x1000, 7)
    decoded = decode(sink([SinkRegion(1, records, FILLING)]))
    (region,) = decoded.regions
    samples = region.samples
    assert samples.count == 2
    assert samples.column("ovfl_pmd").tolist() == [3, 3]
    assert samples.column("set").tolist() == [4, 4]
    assert samples.column("tgid").tolist() == [11, 12]
    assert samples.column("ip").tolist() == [0x1000, 0x1000]
    assert samples.name_of(Role.WEIGHT) == "count"
    assert samples.column("count").tolist() == [5, 7]
    assert decoded.lost.total["table"] == 3


def test_histogram_counts_only_increments() -> None:
    decode = find_format(UUID).decoder(SESSION)
    decode(sink([SinkRegion(1, (record(11, 0x1000, 5),), FILLING)]))
    records = record(11, 0x1000, 8), record(11, 0x2000, 1)
    (region,) = decode(sink([SinkRegion(1, records, FILLING)])).regions
    assert region.samples.column("count").tolist() == [3, 1]
