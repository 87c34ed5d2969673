# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check the messages about usage errors in -e and in lists for events."""

from __future__ import annotations

import pytest
from pfmon import SAMPLING, Pfmon, complaint_of

TWO_SETS = (*SAMPLING, "-e", "b")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-e", "", "true"), "empty event name"),
        (("-e", "a,,b", "true"), "empty event name"),
        (("-e", "{a,b}", "true"), "-e {a: omit the braces"),
        (("-e", "a,{b}", "true"), "-e {b}: omit the braces"),
        (("-e", "{cpu/a,b=1/,c}:u", "true"), "omit the braces"),
        (("-e", "a, b", "true"), "-e ' b': omit the space"),
        (("-e", "a\n", "true"), "omit the space"),
        (("-e", ",".join(["x"] * 257), "true"), "more than 256 events"),
        ((*["-e", "x"] * 257, "true"), "more than 256 events"),
        (("-e", "cpu-clock", "--long-smpl-periods=0", "true"), "'0'"),
        (("-e", "cpu-clock", "--long-smpl-periods=-5", "true"), "'-5'"),
        (("-e", "cpu-clock", "--long-smpl-periods=9x", "true"), "'9x'"),
        (
            ("-e", "cpu-clock", "--long-smpl-periods=9223372036854775808", "true"),
            "2^63-1",
        ),
        (("-e", "cpu-clock", "--long-smpl-periods=1,2", "true"), "more elements"),
        (("-e", "cpu-clock", "--short-smpl-periods=1,2", "true"), "more elements"),
        # A comma between slashes belongs to the event.
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
        (("-e", "a@0,2-3,b@1", "true"), "event a is restricted to CPUs 0,2-3"),
        (("-e", "a@", "--system-wide"), "-e a@ is not EVENT@CPUS"),
        (("-e", "@1", "--system-wide"), "-e @1 is not EVENT@CPUS"),
        (("-e", "a@3-1", "--system-wide"), "-e a@3-1 is not EVENT@CPUS"),
        # An @ between slashes belongs to the event.
        (("-e", "p/a=@1/,b@x", "--system-wide"), "-e b@x is not"),
        ((*TWO_SETS, "--switch-overflow=0", "true"), "'0' is not a number of over"),
        ((*TWO_SETS, "--switch-overflow=4294967296", "true"), "1 to 2^32-1"),
        ((*TWO_SETS, "--switch-overflow=1,1,1", "true"), "more elements"),
        ((*TWO_SETS, "--switch-overflow=1,1", "true"), "event b has no sampling"),
        (
            (*TWO_SETS, "-e", "c", "--switch-overflow=1", "true"),
            "event set 1 (-e number 2) would stay active",
        ),
    ],
)
def test_event_option_usage_errors(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, arguments)
