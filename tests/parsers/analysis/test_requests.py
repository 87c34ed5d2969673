# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse the keys, figures, conditions and times that users request."""

from __future__ import annotations

import pytest
from pfmparse.analysis import keys
from pfmparse.analysis.requests import (
    KEYS,
    Wanted,
    Window,
    check_stat,
    parse_span,
    parse_wanted,
    parse_window,
    read_numbers,
)


def test_all_keys_have_a_name_for_options() -> None:
    assert list(keys.KEYS) == list(KEYS)


@pytest.mark.parametrize("text", ["", "x", "3-2", "0-65536", "4294967296"])
def test_bad_numbers_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_numbers(text)


@pytest.mark.parametrize(
    "text,ns",
    [("2s", 2 * 10**9), ("1.5s", 15 * 10**8), ("20ms", 2 * 10**7), ("3us", 3000)]
    + [("7ns", 7), ("4", 4 * 10**9), ("0.000000001", 1)],
)
def test_time_span_parses_units(text: str, ns: int) -> None:
    assert parse_span(text) == ns


@pytest.mark.parametrize("text", ["", "s", "1h", "-1s", "1e3", "one", "1.s", " 1s"])
def test_invalid_time_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a time such as"):
        parse_span(text)


@pytest.mark.parametrize(
    "text,window",
    [
        ("2ns-5ns", Window(2, 5)),
        ("2ns-", Window(2, None)),
        ("-5ns", Window(0, 5)),
        ("-", Window(0, None)),
    ],
)
def test_time_window_is_parsed(text: str, window: Window) -> None:
    assert parse_window(text) == window


@pytest.mark.parametrize("text", ["5s", "5s-2s", "2s-2s", "a-b", "1-2-3"])
def test_invalid_time_window_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_window(text)


def test_stats_of_a_column_a_pmd_or_a_ratio_are_parsed() -> None:
    assert parse_wanted("3") == parse_wanted("pmd3") == Wanted("pmd3")
    assert parse_wanted("3/4") == Wanted("pmd3", "pmd4")
    assert parse_wanted("latency") == Wanted("latency")
    assert parse_wanted("data-address/_n") == Wanted("data-address", "_n")
    for text in ("", "3/", "1000", "3/4/5", "-1", "a b", "3x"):
        with pytest.raises(ValueError, match="must be a column, a PMD such as 3 or a"):
            parse_wanted(text)


def test_stat_names_are_checked() -> None:
    known = ("sum", "mean", "min", "max", "count", "hist", "p1", "p99", "p99.9")
    for stat in known:
        assert check_stat(stat) == stat
    for stat in ("median", "p", "p100", "P9", ""):
        with pytest.raises(
            ValueError, match="use sum, mean, min, max, count, hist or a percentile"
        ):
            check_stat(stat)
