# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compute the weights of samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

import numpy as np
import pytest
from helpers.readers import opened
from helpers.writers import capture, json_chunk, pmd, session
from pfmparse import Role, Samples
from pfmparse.analysis.weights import COUNT, Weight, periods, usual
from pfmparse.errors import PfmParseError
from pfmparse.formats.samples import PmdGroup, Roles

SETS = {0: [pmd(0, [9]), {**pmd(1), "long_reset": (1 << 64) - 7}]}


def weighed(name: str, samples: Samples) -> Optional[list[int]]:
    """Return the weights of samples in the session of SETS."""
    source = opened(capture(json_chunk("SESS", session(SETS))))
    weights = Weight(name, source.events).of(samples)
    return None if weights is None else [int(weight) for weight in weights]


def samples(**columns: list[int]) -> Samples:
    """Build two samples."""
    made = {name: np.array(values, np.uint64) for name, values in columns.items()}
    group = PmdGroup(np.array([1]), (9,), np.array([[50]], np.uint64))
    return Samples(2, made, (group,))


def test_count_weight_is_one_or_the_recorded_weight() -> None:
    assert weighed("count", samples(ip=[1, 2])) is None
    assert weighed("count", samples(ip=[1, 2], weight=[3, 4])) == [3, 4]


def test_period_weight_falls_back_to_the_event() -> None:
    assert weighed("period", samples(period=[5, 6])) == [5, 6]
    assert weighed("period", samples(set=[0, 0], ovfl_pmd=[1, 0])) == [7, 1000]
    both = samples(set=[0, 0], ovfl_pmd=[1, 0], weight=[2, 3])
    assert weighed("period", both) == [14, 3000]


@pytest.mark.parametrize("name", ["lat", Role.LATENCY.value])
def test_any_column_can_be_the_weight(name: str) -> None:
    assert weighed(name, samples(lat=[5, 6])) == [5, 6]


def test_pmd_values_can_be_the_weight() -> None:
    assert weighed("pmd9", samples(ip=[1, 2])) == [0, 50]
    with pytest.raises(PfmParseError, match="no sample has values of PMD 8; rec.* 9"):
        weighed("pmd8", samples(ip=[1, 2]))


def test_recorded_sums_are_not_multiplied() -> None:
    roles: Roles = {Role.SUM: {"took": "sum"}, Role.MAX: {"took": "most"}}
    merged = replace(samples(sum=[50, 6], most=[9, 6], weight=[7, 2]), roles=roles)
    assert weighed("took", merged) == weighed("sum", merged) == [50, 6]
    with pytest.raises(PfmParseError, match="records only max of 'most', not its sum"):
        weighed("most", merged)


def test_period_is_the_mean_of_recorded_sums() -> None:
    roles: Roles = {Role.SUM: {"period": "sum"}}
    merged = replace(samples(sum=[50, 6], weight=[7, 0]), roles=roles)
    events = opened(capture(json_chunk("SESS", session(SETS)))).events
    assert periods(merged, events).tolist() == [7, 6]
    assert weighed("period", merged) == [50, 6]


def test_usual_weight_is_the_first_sum() -> None:
    assert usual(samples(ip=[1, 2], weight=[3, 4])) == COUNT
    roles: Roles = {Role.SUM: {"took": "sum", "ip": "ip"}}
    merged = replace(samples(sum=[50, 6], ip=[1, 2]), roles=roles)
    assert usual(merged) == usual(merged, counting=True) == "took"
    counted = replace(samples(sum=[1, 2], ip=[1, 2], weight=[3, 4]), roles=roles)
    assert usual(counted) == "took" and usual(counted, counting=True) == COUNT


def test_missing_weight_column_is_refused() -> None:
    with pytest.raises(PfmParseError, match="the samples have no colour; they have ip"):
        weighed("colour", samples(ip=[1, 2]))


def test_weight_products_are_exact_or_refused() -> None:
    most = (1 << 64) - 1
    assert weighed("lat", samples(lat=[most, 1 << 32], weight=[1, (1 << 32) - 1])) == [
        most,
        (1 << 64) - (1 << 32),
    ]
    assert weighed("lat", samples(lat=[most, 0], weight=[0, most])) == [0, 0]
    for name, column in (("lat", "lat"), ("period", "period")):
        large = samples(**{column: [1, 1 << 33], "weight": [1, 1 << 31]})
        said = f"'{name}' times .* more than 64 bits"
        with pytest.raises(PfmParseError, match=said):
            weighed(name, large)


def test_column_with_negative_numbers_as_weight_fails() -> None:
    for value in (-5, 5):
        signed = Samples(1, {"ip": np.array([1]), "drift": np.array([value])})
        if value > 0:
            assert weighed("drift", signed) == [5]
            continue
        with pytest.raises(PfmParseError, match="column 'drift' has negative"):
            weighed("drift", signed)
