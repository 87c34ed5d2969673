# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the decoder of newfmt with buffers of known records.

Copyright YEAR AUTHOR
"""

import json
import struct

import numpy as np
import pfmparse as pfm
import pytest
from pfmparse_newfmt import FORMAT, RECORD
from sink_buffer import buffer

EVENT = 7
PMDS = (2, 5)


def value(number: int, at: int) -> int:
    """Return a value for field `at` of record `number` that fits every type."""
    return (64 * number + at) % 128


def record(number: int, *values: int) -> bytes:
    """Return a record whose fields depend on its number."""
    head = np.zeros(1, RECORD)
    for at, name in enumerate(RECORD.names or ()):
        head[name] = value(number, at)
    head["event"], head["num_pmds"] = EVENT, len(values)
    return head.tobytes() + struct.pack(f"<{len(values)}Q", *values)


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
    assert found[["event", "pmd2", "pmd5"]].tolist() == [(EVENT, 8, 9), (EVENT, 10, 11)]
    for at, name in enumerate(RECORD.names or ()):
        if RECORD[name].kind in "iu" and name not in ("event", "num_pmds", "pad"):
            assert found[name].tolist() == [value(0, at), value(1, at)]


def test_known_records_are_not_decoded_again(decode: pfm.Decoder) -> None:
    decode(buffer(record(0, 8, 9)))
    decoded = decode(buffer(record(0, 8, 9), record(1, 10, 11)))
    assert [region.samples.count for region in decoded.regions] == [1]


def test_losses_match_buffer_header(decode: pfm.Decoder) -> None:
    assert decode(buffer(record(0, 8, 9), lost=3)).lost.total["full"] == 3


def test_another_version_is_refused(decode: pfm.Decoder) -> None:
    with pytest.raises(pfm.PfmParseError, match="version"):
        decode(buffer(record(0, 8, 9), version=2 << 16))
