# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the decoder of newfmt with handwritten records.

Copyright YEAR AUTHOR
"""

import random
import struct

import pfmparse as pfm
import pytest
from pfmparse_newfmt import FORMAT

SIZE = 40


def record(number: int, version: int = 1 << 16) -> bytes:
    """Return a record whose fields depend on its number."""
    fields = (0x1000 + number, 2000 + number, 7, 30 + number, 40, 5, version)
    return struct.pack("<QQQIIII", *fields)


@pytest.fixture(name="decode")
def fixture_decode() -> pfm.Decoder:
    """Return a decoder for one context."""
    return FORMAT.decoder(pfm.parse_session(pfm.session_template(FORMAT.uuid), 0))


def test_every_field_is_a_column(decode: pfm.Decoder) -> None:
    decoded = decode(record(0) + record(1))
    assert not decoded.problems
    (region,) = decoded.regions
    found = region.samples.to_array()
    assert found.dtype.names == ("ip", "tstamp", "event", "tid", "tgid", "cpu")
    assert found.tolist() == [
        (0x1000, 2000, 7, 30, 40, 5),
        (0x1001, 2001, 7, 31, 40, 5),
    ]


def test_later_records_are_decoded(decode: pfm.Decoder) -> None:
    for number in range(3):
        (region,) = decode(record(number)).regions
        assert region.samples.to_array()["tid"].tolist() == [30 + number]


def test_another_version_is_refused(decode: pfm.Decoder) -> None:
    with pytest.raises(pfm.PfmParseError, match="version"):
        decode(record(0) + record(1, version=2 << 16))


def test_prefix_decodes_to_complete_records(decode: pfm.Decoder) -> None:
    whole = record(0) + record(1)
    for size in range(len(whole) + 1):
        decoded = decode(whole[:size])
        assert decoded.regions[0].samples.count == size // SIZE
        assert bool(decoded.problems) == bool(size % SIZE)


def test_damaged_record_raises_only_parse_error(decode: pfm.Decoder) -> None:
    whole = record(0) + record(1)
    chance = random.Random(1)
    for _ in range(1000):
        damaged = bytearray(whole)
        for _ in range(4):
            damaged[chance.randrange(len(whole))] = chance.randrange(256)
        try:
            decode(damaged)
        except pfm.PfmParseError:
            pass
