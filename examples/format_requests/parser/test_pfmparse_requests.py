# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the parser of the example format requests with handwritten buffers."""

import struct

import pfmparse as pfm
from pfmparse_requests import FORMAT


def buffer(*rows: tuple[int, ...]) -> bytes:
    """Return a buffer with these records."""
    body = b"".join(struct.pack("<QII4Q", *row) for row in rows)
    head = struct.pack(
        "<8sIIQQQQ", b"pfm-sink", 1 << 16 | 2, 1 << 16, 4096, 192, 3904, 48
    )
    head += struct.pack("<IIIIQQQQQQQQ", 1, 0, 0, 160, 0, 0, 0, 0, 0, 0, 0, 0)
    region = struct.pack("<QQQII", 1, len(rows), len(body), 1, 0)
    return head + region + struct.pack("<4Q", 0, 0, 0, 0) + body


def decoded(decode: pfm.Decoder, data: bytes) -> list[tuple[int, ...]]:
    """Return the rows that a decoder finds in a buffer."""
    found = decode(data)
    assert found.problems == ()
    (region,) = found.regions
    return [tuple(row) for row in region.samples.to_array().tolist()]


def test_counts_and_sums_are_read_as_increments() -> None:
    decode = FORMAT.decoder(pfm.parse_session(pfm.session_template(FORMAT.uuid), 0))
    first, then = (7, 12, 1, 2, 30, 10, 20), (7, 12, 1, 3, 35, 5, 20)
    other = (8, 12, 1, 1, 9, 9, 9)
    assert decoded(decode, buffer(first)) == [first]
    risen = (7, 12, 1, 1, 5, 5, 20)
    assert decoded(decode, buffer(then, other)) == [risen, other]


def test_argument_is_described() -> None:
    argument = struct.pack("<QIIII", 65536, 1, 0, 257, 1)
    assert FORMAT.describe_arg(argument) == {
        "buf_size": 65536,
        "num_regions": 1,
        "flags": 0,
        "id": 257,
        "pmd": 1,
    }
