# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the parser of the example format that filters with a handwritten buffer."""

import struct

from pfmparse import parse_session, session_template
from pfmparse_threshold import FORMAT


def buffer(*records: bytes, skipped: int) -> bytes:
    """Return a buffer of one region with these records."""
    body = b"".join(records)
    head = struct.pack(
        "<8sIIQQQQ", b"pfm-sink", 1 << 16 | 1, 1 << 16, 4096, 192, 3904, 24
    )
    head += struct.pack("<IIIIQQQQQQQQ", 1, 0, 0, 160, 0, 0, 0, 0, 0, 0, 0, 0)
    region = struct.pack("<QQQII", 1, len(records), len(body), 1, 0)
    return head + region + struct.pack("<4Q", skipped, 0, 0, 0) + body


def test_records_and_skipped_samples_are_found() -> None:
    data = buffer(
        struct.pack("<QQII", 16, 500, 12, 1),
        struct.pack("<QQII", 17, 600, 13, 2),
        skipped=4507,
    )
    session = parse_session(session_template(FORMAT.uuid), 0)
    decoded = FORMAT.decoder(session)(data)
    (region,) = decoded.regions
    assert region.samples.to_array().tolist() == [(16, 500, 12, 1), (17, 600, 13, 2)]
    assert (decoded.problems, decoded.skipped) == ((), 4507)


def test_argument_is_described() -> None:
    argument = struct.pack("<QIIQ", 65536, 1, 0, 100)
    assert FORMAT.describe_arg(argument) == {
        "buf_size": 65536,
        "num_regions": 1,
        "flags": 0,
        "min": 100,
    }
