# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the decoder of newfmt with truncated and damaged buffers.

Copyright YEAR AUTHOR
"""

import random

import pfmparse as pfm
import pytest
from pfmparse_newfmt import FORMAT
from sink_buffer import buffer
from test_pfmparse_newfmt import record

WHOLE = buffer(record(0, 1), record(1, 2))


@pytest.fixture(name="session")
def fixture_session() -> pfm.Session:
    """Return a session with one context."""
    return pfm.parse_session(pfm.session_template(FORMAT.uuid), 0)


def test_every_prefix_has_a_problem(session: pfm.Session) -> None:
    for size in range(len(WHOLE)):
        try:
            assert FORMAT.decoder(session)(WHOLE[:size]).problems
        except pfm.PfmParseError:
            pass


def test_damaged_buffer_raises_only_parse_error(session: pfm.Session) -> None:
    chance = random.Random(1)
    for _ in range(1000):
        damaged = bytearray(WHOLE)
        for _ in range(4):
            damaged[chance.randrange(len(WHOLE))] = chance.randrange(256)
        try:
            FORMAT.decoder(session)(damaged)
        except pfm.PfmParseError:
            pass
