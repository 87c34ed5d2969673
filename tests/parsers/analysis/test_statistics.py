# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compute statistics of the values of a group of samples."""

from __future__ import annotations

from collections import Counter

import numpy as np
from helpers.readers import opened
from helpers.writers import capture, json_chunk, session
from pfmparse import Samples
from pfmparse.analysis.requests import Wanted
from pfmparse.analysis.spread import Bucket
from pfmparse.analysis.statistics import Statistics, Values

STATS = ("sum", "mean", "min", "max", "count", "p50", "p90")


def test_stats_of_groups_are_added() -> None:
    values = Values(3, 3, 1, 1, Counter({(1, 1): 3}))
    values.add(Values())
    values.add(Values(2, 205, 0, 205, Counter({(0, 0): 1, (204, 205): 1})))
    figures = {stat: values.figure(stat) for stat in STATS}
    assert figures == {
        "sum": 208,
        "mean": 208 / 5,
        "min": 0,
        "max": 205,
        "count": 5,
        "p50": 1,
        "p90": 205,
    }
    buckets = [Bucket(0, 0, 1), Bucket(1, 1, 3), Bucket(128, 255, 1)]
    assert values.histogram() == buckets


def test_stats_of_no_values_are_none() -> None:
    found = {stat: Values().figure(stat) for stat in STATS}
    assert found.pop("count") == 0 and set(found.values()) == {None}
    assert Values().histogram() == []
    assert Values(1, 5).over(Values()) is None


def test_stats_count_values_by_weight() -> None:
    source = opened(capture(json_chunk("SESS", session())))
    stats = Statistics([Wanted("lat")], [*STATS, "count", "hist"], source.events)
    columns = {"lat": np.array([5, 9, 1]), "weight": np.array([3, 1, 0])}
    stats.add(np.zeros(3, np.intp), Samples(3, columns))
    groups: list[dict[str, Values]] = [{}]
    stats.merge(groups)
    assert groups == [
        {"lat": Values(4, 24, 5, 9, Counter({(5, 5): 3, (9, 9): 1}))},
    ]


def test_histogram_has_a_bucket_for_zero() -> None:
    values = Values(2, 0, 0, 0, Counter({(0, 0): 2}))
    assert values.histogram() == [Bucket(0, 0, 2)]


def test_ratio_divides_the_sums() -> None:
    assert Values(1, 6).over(Values(1, 4)) == 1.5
