# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the cgroup_counts format."""

from __future__ import annotations

import struct

from helpers.readers import decoder
from helpers.sink_buffer import FILLING, SinkRegion, sink
from helpers.writers import pmd, session
from pfmparse import Role
from pfmparse.formats.cgroup_counts import UUID

SESSION = session({0: [pmd(0, [1, 4]), pmd(1, sampling=False)]}, UUID)


def record(group: int, samples: int, pmd1: int, pmd4: int) -> bytes:
    """Build a record of a control group."""
    return struct.pack("<34Q", group, samples, 0, pmd1, 0, 0, pmd4, *[0] * 27)


def table(*records: bytes) -> bytes:
    """Build a buffer with these records."""
    return sink([SinkRegion(1, records, FILLING)], region_size=1024, buf_size=1184)


def test_cgroup_counts_has_sum_for_each_pmd() -> None:
    decode = decoder(SESSION)
    decode(table(record(7, 2, 10, 20)))
    records = record(7, 5, 13, 24), record(9, 1, 6, 0)
    (region,) = decode(table(*records)).regions
    samples = region.samples
    assert samples.column("group").tolist() == [7, 9]
    assert samples.name_of(Role.WEIGHT) == "samples"
    assert samples.column("samples").tolist() == [3, 1]
    assert samples.aggregates(Role.SUM) == {"pmd1": "pmd1", "pmd4": "pmd4"}
    assert samples.column("pmd1").tolist() == [3, 6]
    assert samples.column("pmd4").tolist() == [4, 0]
