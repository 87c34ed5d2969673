# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the example format's decoder with handwritten buffers."""

import struct

import pytest
from pfmparse import Decoded, Decoder, PfmParseError, parse_session, session_template
from pfmparse_count import FORMAT


def buffer(*counts: int, version: int = 1 << 16, others: int = 0) -> bytes:
    """Return a buffer with these counts of events."""
    head = struct.pack("<IIQ", version, len(counts), others)
    return head + struct.pack(f"<{len(counts)}Q", *counts)


@pytest.fixture
def decode() -> Decoder:
    """Return a decoder for one context."""
    return FORMAT.decoder(parse_session(session_template(FORMAT.uuid), 0))


def counted(decoded: Decoded) -> list[tuple[int, int]]:
    """Return the events with their counts."""
    return [
        (int(row["event"]), int(row["count"]))
        for region in decoded.regions
        for row in region.samples.to_array()
    ]


def test_each_event_has_its_count(decode: Decoder) -> None:
    decoded = decode(buffer(5, 0, 1 << 63, others=7) + bytes(4096))
    assert counted(decoded) == [(0, 5), (1, 0), (2, 1 << 63)]
    assert decoded.lost.total == {"others": 7}


def test_what_was_counted_before_is_not_counted_again(decode: Decoder) -> None:
    decode(buffer(5, 1))
    assert counted(decode(buffer(7, 1))) == [(0, 2), (1, 0)]


def test_other_version_is_refused(decode: Decoder) -> None:
    with pytest.raises(PfmParseError, match="hdr_version: not 1.0") as error:
        decode(buffer(1, version=2 << 16))
    assert error.value.offset == 0


def test_each_prefix_is_too_short(decode: Decoder) -> None:
    whole = buffer(1, 2, 3)
    for size in range(len(whole)):
        with pytest.raises(PfmParseError, match="ends here") as error:
            decode(whole[:size])
        assert error.value.truncated and error.value.offset == size
