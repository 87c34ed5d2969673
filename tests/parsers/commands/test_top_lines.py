# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the text lines of the top command."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from pfmparse.analysis.events import Event
from pfmparse.analysis.recent import Place
from pfmparse.commands.top_lines import Status, heading, rows, table

S = 10**9
A = Place("alpha", "/usr/lib/libz.so", "zip")
B = Place("beta", "[kernel]", "zip")
C = Place("gamma", "/bin/app", "app")
COUNTS = Counter({A: 1, B: 3, C: 1})


@pytest.mark.parametrize(
    "order,places",
    [
        ("samples", [B, A, C]),
        ("function", [A, B, C]),
        ("object", [C, A, B]),
        ("comm", [C, B, A]),
    ],
)
def test_top_rows_are_sorted(order: str, places: list[Place]) -> None:
    assert [place for place, _ in rows(COUNTS, order)] == places


def test_top_heading_has_totals_rate_and_losses() -> None:
    status = Status(
        [Event("cpu-clock", 0, 0, 0, 1000)], 3 * S, 500, 20, S // 2, 100, 5, 2 * S
    )
    assert heading(status) == [
        "3 s, cpu-clock (period 1000), rows: last 2 s by samples",
        "500 samples, 200/s; 20 lost, 10/s",
    ]


def test_top_heading_tells_skipped_samples() -> None:
    assert heading(Status((), skipped=4))[1] == "0 samples, 0/s; 0 lost, 0/s; 4 skipped"


def test_top_heading_without_session_shows_zero_rate() -> None:
    assert heading(Status(())) == [
        "0 s, waiting for the session, rows: last 0 s by samples",
        "0 samples, 0/s; 0 lost, 0/s",
    ]


def test_top_table_has_shares_and_base_names() -> None:
    lines = table(rows(COUNTS, "samples"), 5, 80, 2)
    assert [line.split() for line in lines] == [
        ["%", "samples", "function", "object", "comm"],
        ["60.00", "3", "beta", "[kernel]", "zip"],
        ["20.00", "1", "alpha", "libz.so", "zip"],
    ]
    assert not table([], 0, 80, None)[1:]


def test_top_names_the_weight() -> None:
    status = Status((), weight="latency")
    assert heading(status)[0].endswith("last 0 s by latency")
    assert heading(replace(status, order="comm"))[0].endswith("by comm")
    titles, line = table([(A, 10**12)], 10**12, 80, None, status.unit)
    assert titles.split()[1] == "latency" and line.split()[:2] == [
        "100.00",
        "1" + "0" * 12,
    ]
    assert titles.index("function") == line.index(A.function)


def test_top_table_cuts_and_escapes_names() -> None:
    odd = Place("f" * 200, "/x/\x1b[2J", "e\nvil")
    (line,) = table([(odd, 1)], 1, 80, None)[1:]
    assert len(line) <= 80 and "fff~" in line
    assert "\\x1b[2J" in line and "e\\nvil" in line
