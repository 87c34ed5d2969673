# SPDX-License-Identifier: MIT OR GPL-2.0
"""Statistics of the PMD values of a group of samples."""

from __future__ import annotations

import pytest
from pfmparse.analysis.pmd_stats import Values, Wanted, check_stat, parse_wanted, ratio
from pfmparse.analysis.spread import Bucket


def test_pmd_stats_parse_a_pmd_or_a_ratio() -> None:
    assert parse_wanted("3") == Wanted(3)
    assert parse_wanted("3/4") == Wanted(3, 4)
    for text in ("", "x", "3/", "1000", "3/4/5", "-1"):
        with pytest.raises(ValueError, match=r"must be a PMD \(as 3\) or a ratio"):
            parse_wanted(text)


def test_pmd_stat_names_are_checked() -> None:
    for stat in ("sum", "mean", "max", "hist", "p1", "p99", "p99.9"):
        assert check_stat(stat) == stat
    for stat in ("median", "p", "p100", "P9", ""):
        with pytest.raises(
            ValueError, match="use sum, mean, max, hist or a percentile"
        ):
            check_stat(stat)


def test_pmd_stats_merge_all_values() -> None:
    values = Values()
    values.merge(3, [Bucket(1, 1, 3)])
    values.merge(206, [Bucket(1, 1, 1), Bucket(204, 205, 1)])
    figures = {stat: values.figure(stat) for stat in ("sum", "mean", "max", "p50")}
    assert figures == {"sum": 209, "mean": 209 / 5, "max": 205, "p50": 1}
    assert values.histogram() == [Bucket(1, 1, 4), Bucket(128, 255, 1)]


def test_pmd_stats_of_no_values_are_none() -> None:
    assert Values().figure("mean") is None and Values().histogram() == []
    assert ratio({1: Values(5), 2: Values(0)}, 1, 2) is None


def test_pmd_histogram_has_a_bucket_for_zero() -> None:
    values = Values()
    values.merge(0, [Bucket(0, 0, 2)])
    assert values.histogram() == [Bucket(0, 0, 2)]


def test_pmd_ratio_divides_the_sums() -> None:
    assert ratio({1: Values(6), 2: Values(4)}, 1, 2) == 1.5
