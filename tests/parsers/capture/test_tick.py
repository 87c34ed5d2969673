# SPDX-License-Identifier: MIT OR GPL-2.0
"""TICK chunks: the progress of a session."""

from __future__ import annotations

import json

import pytest
from helpers.writers import changed
from pfmparse.capture.tick import Tick, parse_tick
from pfmparse.errors import PfmParseError

TICK = {"elapsed_ns": 10**9, "samples": 5, "lost": 2}


def test_tick_has_totals_so_far() -> None:
    assert parse_tick(json.dumps(TICK).encode(), 0) == Tick(10**9, 5, 2)
    assert parse_tick(changed(TICK, ["samples"], None), 0).samples is None
    assert parse_tick(json.dumps({**TICK, "skipped": 4}).encode(), 0).skipped == 4


@pytest.mark.parametrize("member", ["elapsed_ns", "lost"])
def test_bad_tick_member_is_named(member: str) -> None:
    with pytest.raises(PfmParseError, match=f"TICK.{member}: not an integer"):
        parse_tick(changed(TICK, [member], "x"), 0)
