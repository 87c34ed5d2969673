# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the decoder of newfmt with known records.

Copyright YEAR AUTHOR
"""

import random

import numpy as np
import pfmparse as pfm
import pytest
from pfmparse_newfmt import FORMAT, RECORD

SIZE = RECORD.itemsize


def value(number: int, at: int) -> int:
    """Return a value for field `at` of record `number` that fits every type."""
    return (32 * number + at) % 128


def record(number: int, version: int = 1 << 16) -> bytes:
    """Return a record whose fields depend on its number."""
    fields = np.zeros(1, RECORD)
    for at, name in enumerate(RECORD.names or ()):
        fields[name] = value(number, at)
    fields["version"] = version
    return fields.tobytes()


@pytest.fixture(name="decode")
def fixture_decode() -> pfm.Decoder:
    """Return a decoder for one context."""
    return FORMAT.decoder(pfm.parse_session(pfm.session_template(FORMAT.uuid), 0))


def test_every_field_is_a_column(decode: pfm.Decoder) -> None:
    decoded = decode(record(0) + record(1))
    assert not decoded.problems
    (region,) = decoded.regions
    found = region.samples.to_array()
    for at, name in enumerate(RECORD.names or ()):
        if RECORD[name].kind in "iu" and name not in ("version", "pad"):
            assert found[name].tolist() == [value(0, at), value(1, at)]


def test_later_records_are_decoded(decode: pfm.Decoder) -> None:
    for number in range(3):
        (region,) = decode(record(number)).regions
        assert region.samples.to_array()["ip"].tolist() == [32 * number]


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
