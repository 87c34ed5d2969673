# SPDX-License-Identifier: MIT OR GPL-2.0
"""The JSON of the DONE chunk."""

from __future__ import annotations

import json

from pfmparse.capture.totals import parse_totals
from writers import totals


def test_totals_are_read_as_written() -> None:
    parsed = parse_totals(json.dumps(totals(9)).encode(), 0)
    assert (parsed.samples, parsed.lost, parsed.notifications) == (9, 7, 3)
    assert parsed.counts[0].value == 123


def test_what_the_tool_does_not_know_is_null() -> None:
    document = {**totals(9), "samples": None, "exit_status": None}
    assert parse_totals(json.dumps(document).encode(), 0).samples is None
