# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read CLCK chunks: the values of several clocks, read at the same time."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.writers import Json, clock_moment
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.capture.clocks import MAX_NS, Clocks, Moment, parse_moment
from pfmparse.errors import PfmParseError

EPOCH = 1732098765000000000


def moment(perf: int, realtime: int) -> Moment:
    return parse_moment(json.dumps(clock_moment(perf, realtime)).encode(), 0)


def clocks(*pairs: tuple[int, int]) -> Clocks:
    made = Clocks()
    for perf, realtime in pairs:
        made.add(moment(perf, realtime), 0)
    return made


def realtimes(made: Clocks, *times: int) -> list[int]:
    shown = made.perf_to_realtime(np.array(times, np.uint64))
    assert shown.dtype == np.uint64
    return [int(time) for time in shown]


def test_clock_moment_is_read_as_written() -> None:
    document = clock_moment(10**9, EPOCH, tsc=(1 << 64) - 1)
    assert parse_moment(json.dumps(document).encode(), 0) == Moment(
        perf_ns=10**9,
        realtime_ns=EPOCH,
        monotonic_ns=10**9 + 1000,
        boottime_ns=10**9 + 2000,
        uncertainty_ns=100,
        tsc=(1 << 64) - 1,
    )
    assert moment(1, 2).tsc is None


def test_single_clock_moment_shifts_all_times() -> None:
    made = clocks((10**9, EPOCH))
    assert realtimes(made, 10**9 - 3, 10**9, 10**9 + 7) == [
        *(EPOCH - 3, EPOCH, EPOCH + 7)
    ]
    monotonic = made.perf_to_monotonic(np.array([10**9 + 7], np.uint64))
    assert monotonic.tolist() == [10**9 + 1007]


def test_clock_offset_is_interpolated_between_moments() -> None:
    made = clocks((3000, EPOCH + 2060), (1000, EPOCH))
    assert realtimes(made, 0, 1000, 2000, 3000, 4000) == [
        *(EPOCH - 1000, EPOCH, EPOCH + 1030, EPOCH + 2060, EPOCH + 3060)
    ]


def test_clock_conversion_is_exact_after_years() -> None:
    years = 10**18 + 1
    made = clocks((years, EPOCH), (years + 10**12, EPOCH + 10**12))
    assert realtimes(made, years + 1, years + 10**12 - 1) == [
        *(EPOCH + 1, EPOCH + 10**12 - 1)
    ]


def test_conversion_without_clock_moments_fails() -> None:
    assert len(Clocks()) == 0
    with pytest.raises(PfmParseError, match="has no clock readings"):
        realtimes(Clocks(), 1)


def test_number_of_clock_moments_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfmparse.capture.clocks.MAX_MOMENTS", 1)
    made = clocks((1, 2))
    with pytest.raises(PfmParseError, match="more than 1 CLCK") as error:
        made.add(moment(3, 4), 64)
    assert error.value.offset == 64 and len(made) == 1


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    st.lists(
        st.tuples(st.integers(0, MAX_NS - 2000), st.integers(0, MAX_NS)),
        min_size=1,
        max_size=3,
    ),
    st.lists(st.integers(0, (1 << 64) - 1), max_size=3),
)
def test_arbitrary_clock_moments_convert(
    pairs: list[tuple[int, int]], times: list[int]
) -> None:
    assert len(realtimes(clocks(*pairs), *times)) == len(times)


@pytest.mark.parametrize(
    "change",
    [
        {"perf_ns": -1},
        {"realtime_ns": MAX_NS + 1},
        {"monotonic_ns": None},
        {"boottime_ns": 0.5},
        {"uncertainty_ns": "1"},
        {"tsc": 1 << 64},
    ],
)
def test_bad_value_names_its_path(change: Json) -> None:
    (name,) = change
    with pytest.raises(PfmParseError) as error:
        parse_moment(json.dumps({**clock_moment(1, 2), **change}).encode(), 64)
    assert error.value.message.startswith(f"CLCK.{name}: ")
    assert error.value.offset == 64
