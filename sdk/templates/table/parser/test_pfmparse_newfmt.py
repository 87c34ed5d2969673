# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the decoder of newfmt with handwritten buffers.

Copyright YEAR AUTHOR
"""

import numpy as np
import pfmparse as pfm
import pytest
from pfmparse_newfmt import FORMAT, RECORD
from sink_buffer import buffer


def value(number: int, at: int) -> int:
    """Return a value for field `at` of record `number` that fits every type."""
    return (32 * number + at) % 128


def record(number: int, count: int) -> bytes:
    """Return a record whose fields depend on its number."""
    fields = np.zeros(1, RECORD)
    for at, name in enumerate(RECORD.names or ()):
        fields[name] = value(number, at)
    fields["count"] = count
    return fields.tobytes()


@pytest.fixture(name="decode")
def fixture_decode() -> pfm.Decoder:
    """Return a decoder for one context."""
    return FORMAT.decoder(pfm.parse_session(pfm.session_template(FORMAT.uuid), 0))


def test_every_field_is_a_column(decode: pfm.Decoder) -> None:
    decoded = decode(buffer(record(0, 5), record(1, 6)))
    assert not decoded.problems
    (region,) = decoded.regions
    found = region.samples.to_array()
    assert found["count"].tolist() == [5, 6]
    for at, name in enumerate(RECORD.names or ()):
        if RECORD[name].kind in "iu" and name not in ("count", "key_pad", "pad"):
            assert found[name].tolist() == [value(0, at), value(1, at)]
    assert region.samples.total() == 11


def test_what_was_counted_before_is_not_counted_again(decode: pfm.Decoder) -> None:
    decode(buffer(record(0, 5)))
    decoded = decode(buffer(record(0, 7), record(1, 1)))
    assert sum(region.samples.total() for region in decoded.regions) == 3


def test_losses_match_buffer_header(decode: pfm.Decoder) -> None:
    assert decode(buffer(record(0, 1), lost=3)).lost.total["full"] == 3


def test_another_version_is_refused(decode: pfm.Decoder) -> None:
    with pytest.raises(pfm.PfmParseError, match="version"):
        decode(buffer(record(0, 1), version=2 << 16))
