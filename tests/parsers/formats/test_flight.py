# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the flight format."""

from __future__ import annotations

import struct

import numpy as np
from helpers.sink_buffer import FILLING, SinkRegion, sink
from pfmparse import parse_session, session_template
from pfmparse.formats.flight import UUID
from pfmparse.formats.registry import find_format


def record(tstamp: int, *values: int) -> bytes:
    """Build a record of PMD 0 in event set 0."""
    head = struct.pack(
        "<QQIIHHHH", tstamp, 0x1000 + tstamp, 12, 11, 0, 3, 0, len(values)
    )
    return head + struct.pack(f"<{len(values)}Q", *values)


def test_flight_records_are_in_recording_order() -> None:
    session = parse_session(session_template(UUID), 0)
    newer = SinkRegion(8, (record(3),), FILLING)
    buffer = sink([newer, SinkRegion(7, (record(1), record(2)))], flags=1)
    decoded = find_format(UUID).decoder(session)(buffer)
    assert decoded.problems == ()
    rows = [region.samples.fields() for region in decoded.regions]
    assert [row["tstamp"].tolist() for row in rows] == [[1, 2], [3]]
    assert {name: column.tolist() for name, column in rows[1].items()} == {
        "tstamp": [3],
        "ip": [0x1003],
        "tid": [12],
        "tgid": [11],
        "ovfl_pmd": [0],
        "cpu": [3],
        "set": [0],
    }


def test_flight_pmd_values_follow_the_session() -> None:
    text = session_template(UUID).replace(b'"smpl_pmds": []', b'"smpl_pmds": [4, 6]')
    session = parse_session(text, 0)
    buffer = sink([SinkRegion(1, (record(1, 7, 8), record(2, 9, 10)))])
    (region,) = find_format(UUID).decoder(session)(buffer).regions
    (group,) = region.samples.groups
    assert group.pmds == (4, 6)
    assert np.asarray(group.values).tolist() == [[7, 8], [9, 10]]
