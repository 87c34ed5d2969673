# SPDX-License-Identifier: MIT OR GPL-2.0
"""Errors in events, and in the lists that have an element for each."""

from __future__ import annotations

import pytest
from pfmon import SAMPLING, Pfmon, complaint_of


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-e", "", "true"), "empty event name"),
        (("-e", "a,,b", "true"), "empty event name"),
        (("-e", ",".join(["x"] * 257), "true"), "more than 256 events"),
        (("-e", "cpu-clock", "--long-smpl-periods=0", "true"), "'0'"),
        (("-e", "cpu-clock", "--long-smpl-periods=-5", "true"), "'-5'"),
        (("-e", "cpu-clock", "--long-smpl-periods=9x", "true"), "'9x'"),
        (
            ("-e", "cpu-clock", "--long-smpl-periods=9223372036854775808", "true"),
            "2^63-1",
        ),
        (("-e", "cpu-clock", "--long-smpl-periods=1,2", "true"), "more elements"),
        (("-e", "cpu-clock", "--short-smpl-periods=1,2", "true"), "more elements"),
        # A comma between slashes is of an event's own.
        (("-e", "p/a,b=1/u,c,d/e,f/", "--long-smpl-periods=1,2,3,4", "x"), "(3)"),
        (("-e", "p/a,b=1/u,,d/e,f/", "x"), "empty event name"),
        ((*SAMPLING, "--smpl-periods-random=1:2,3:4", "true"), "more elements"),
        ((*SAMPLING, "--smpl-periods-random=1", "true"), "MASK:SEED"),
        ((*SAMPLING, "--smpl-notify=2", "true"), "neither 0 nor 1"),
        ((*SAMPLING, "--smpl-periods-random=1:4294967296", "true"), "MASK:SEED"),
        (
            ("-e", "cpu-clock", "--smpl-periods-random=1:2", "true"),
            "no sampling period",
        ),
        ((*SAMPLING, "--smpl-periods-random=1000:1", "true"), "must be smaller"),
    ],
)
def test_usage_errors_say_what_is_wrong(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, arguments)
