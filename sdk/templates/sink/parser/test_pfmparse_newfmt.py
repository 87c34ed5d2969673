# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the decoder of newfmt with handwritten buffers.

Copyright YEAR AUTHOR
"""

import json
import struct

import pfmparse as pfm
import pytest
from pfmparse_newfmt import FORMAT
from sink_buffer import buffer

EVENT = 7
PMDS = (2, 5)


def record(number: int, *values: int) -> bytes:
    """Return a record whose fields depend on its number."""
    head = (0x1000 + number, 2000 + number, EVENT, 30 + number, 40, 5, len(values))
    return struct.pack(f"<QQQIIII{len(values)}Q", *head, *values)


@pytest.fixture(name="decode")
def fixture_decode() -> pfm.Decoder:
    """Return a decoder for one context with an event that records two PMDs."""
    session = json.loads(pfm.session_template(FORMAT.uuid))
    session["sets"][0]["pmds"][0].update(eventid=EVENT, smpl_pmds=PMDS)
    return FORMAT.decoder(pfm.parse_session(json.dumps(session).encode(), 0))


def test_every_field_is_a_column(decode: pfm.Decoder) -> None:
    decoded = decode(buffer(record(0, 8, 9), record(1, 10, 11)))
    assert not decoded.problems
    (region,) = decoded.regions
    found = region.samples.to_array()
    assert found.dtype.names == (
        *("ip", "tstamp", "event", "tid", "tgid", "cpu"),
        *("pmd2", "pmd5"),
    )
    assert found.tolist() == [
        (0x1000, 2000, EVENT, 30, 40, 5, 8, 9),
        (0x1001, 2001, EVENT, 31, 40, 5, 10, 11),
    ]


def test_known_records_are_not_decoded_again(decode: pfm.Decoder) -> None:
    decode(buffer(record(0, 8, 9)))
    decoded = decode(buffer(record(0, 8, 9), record(1, 10, 11)))
    assert [region.samples.count for region in decoded.regions] == [1]


def test_losses_match_buffer_header(decode: pfm.Decoder) -> None:
    assert decode(buffer(record(0, 8, 9), lost=3)).lost.total["full"] == 3


def test_another_version_is_refused(decode: pfm.Decoder) -> None:
    with pytest.raises(pfm.PfmParseError, match="version"):
        decode(buffer(record(0, 8, 9), version=2 << 16))
