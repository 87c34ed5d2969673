# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write the header of perf.data. test_perf_data.py reads it with perf."""

from __future__ import annotations

import json
import struct

import pytest
from helpers.writers import session
from pfmparse.capture.session import Session, parse_session
from pfmparse.exports.perf_header import (
    ATTR_SIZE,
    CPUDESC,
    CPUID,
    NRCPUS,
    NUMA_TOPOLOGY,
    SIZE,
    Header,
)
from pfmparse.exports.perf_records import DATA_SRC, IP


def described(cpuid: str = "GenuineExample,6,143,11") -> Session:
    """Return a session on a machine whose CPU has this ID."""
    document = session()
    document["machine"]["processors"][0]["id"] = cpuid
    return parse_session(json.dumps(document).encode(), 0)


def features(header: Header) -> dict[int, bytes]:
    """Return the feature sections of a file with 24 bytes of records."""
    tail, attrs = header.tail(SIZE + 24)
    head = header.head(24, attrs)
    assert len(head) == SIZE and head[:8] == b"PERFILE2"
    bits = int.from_bytes(head[72:], "little")
    numbers = [number for number in range(256) if bits >> number & 1]
    file = bytes(SIZE + 24) + tail
    table = struct.iter_unpack("<QQ", tail[: 16 * len(numbers)])
    return {number: file[at : at + size] for number, (at, size) in zip(numbers, table)}


def test_perf_attributes_are_followed_by_event_ids() -> None:
    header = Header(IP, [("cycles", 1000), ("loads", 250)], described())
    tail, attrs = header.tail(1000)
    file = bytes(1000) + tail
    for number, period in enumerate((1000, 250)):
        at = attrs + number * (ATTR_SIZE + 16)
        kind, size, config, sampled, sample_type = struct.unpack_from(
            "<IIQQQ", file, at
        )
        assert (kind, size, config) == (4, ATTR_SIZE, number)
        assert (sampled, sample_type) == (period, IP)
        where, length = struct.unpack_from("<QQ", file, at + ATTR_SIZE)
        assert length == 8
        assert struct.unpack_from("<Q", file, where) == (number + 1,)


@pytest.mark.parametrize(
    "name,expected",
    [
        ("GenuineExample,6,143,11", b"GenuineExample,6,143,11"),
        ("0x00000000410fd0c0", b"0x00000000410fd0c0"),
        ("something else", None),
    ],
)
def test_perf_cpuid_has_perfs_spelling(name: str, expected: bytes | None) -> None:
    found = features(Header(IP, [], described(name))).get(CPUID)
    assert (found and found[4:].rstrip(b"\0")) == expected


def test_perf_header_without_processors_has_no_cpu() -> None:
    document = session()
    del document["machine"]["processors"]
    told = parse_session(json.dumps(document).encode(), 0)
    found = features(Header(IP, [], told))
    assert not found.keys() & {CPUDESC, CPUID} and NRCPUS in found


def test_perf_numa_topology_needs_data_sources() -> None:
    assert NUMA_TOPOLOGY not in features(Header(IP, [], described()))
    assert NUMA_TOPOLOGY in features(Header(IP | DATA_SRC, [], described()))


def test_perf_header_strings_are_padded_to_64_bytes() -> None:
    host = features(Header(IP, [], described()))[3]
    assert host == struct.pack("<I", 64) + b"build7".ljust(64, b"\0")
