# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the parser of the example sink format with handwritten buffers."""

import json
import struct
from typing import Any

import pytest
from pfmparse import Decoded, Session, parse_session, session_template
from pfmparse_mini import FORMAT


def record(ip: int, tid: int, *pmds: int) -> bytes:
    """Return a record."""
    return struct.pack(f"<QII{len(pmds)}Q", ip, tid, len(pmds), *pmds)


def buffer(*records: bytes, lost: int = 0) -> bytes:
    """Return a buffer of one region with these records and this count of lost ones."""
    body = b"".join(records)
    head = struct.pack("<8sIIQQQQ", b"pfm-sink", 1 << 16, 1 << 16, 4096, 160, 512, 64)
    head += struct.pack("<IIIIQQQQQQQQ", 1, 0, 0, 0, 0, 0, 0, 0, lost, 0, 0, 0)
    return head + struct.pack("<QQQII", 1, len(records), len(body), 1, 0) + body


def session(*lists: list[int]) -> Session:
    """Return a session whose sampling PMDs 0, 1, ... record these lists of PMDs."""
    described: Any = json.loads(session_template(FORMAT.uuid))
    (pmd,) = described["sets"][0]["pmds"]
    described["sets"][0]["pmds"] = [
        {**pmd, "num": num, "smpl_pmds": pmds} for num, pmds in enumerate(lists)
    ]
    return parse_session(json.dumps(described).encode(), 0)


def samples(decoded: Decoded) -> list[dict[str, int]]:
    """Return the samples as dictionaries."""
    assert decoded.problems == ()
    (region,) = decoded.regions
    array = region.samples.to_array()
    return [dict(zip(array.dtype.names or (), row)) for row in array.tolist()]


def test_records_have_their_fields_and_pmds() -> None:
    data = buffer(record(16, 1, 5, 7), record(17, 2, 50, 70), lost=3)
    decoded = FORMAT.decoder(session([3, 4]))(data)
    assert samples(decoded) == [
        {"ip": 16, "tid": 1, "pmd3": 5, "pmd4": 7},
        {"ip": 17, "tid": 2, "pmd3": 50, "pmd4": 70},
    ]
    assert decoded.lost.total["full"] == 3


@pytest.mark.parametrize("lists", [([3, 4], [5]), ([3],)])
def test_values_of_unknown_pmds_are_left_out(lists: tuple[list[int], ...]) -> None:
    data = buffer(record(16, 1, 5, 7), record(17, 2))
    found = samples(FORMAT.decoder(session(*lists))(data))
    assert found == [{"ip": 16, "tid": 1}, {"ip": 17, "tid": 2}]


def test_each_prefix_is_a_problem() -> None:
    data = buffer(record(16, 1, 5), record(17, 2, 6))
    for size in range(160, len(data)):
        decoded = FORMAT.decoder(session([3]))(data[:size])
        (problem,) = decoded.problems
        assert problem.truncated
