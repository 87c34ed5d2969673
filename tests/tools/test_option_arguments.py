# SPDX-License-Identifier: MIT OR GPL-2.0
"""Report usage errors in the arguments of options."""

from __future__ import annotations

import pytest
from pfmon import SAMPLING, Pfmon, complaint_of


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-e", "a", "-e", "b", "--switch-timeout=x", "true"), "'x'"),
        (("-e", "a", "--print-interval=0.9", "true"), "'0.9' is not a number of milli"),
        (("-e", "a", "--repeat=0", "true"), "'0' is not a number from 1 to 1000000"),
        (("-e", "a", "--repeat=1000001", "true"), "'1000001' is not a number from 1"),
        (("-e", "a", "--csv=", "true"), "the separator must not be empty or contain"),
        (("-e", "a", '--csv="', "true"), "the separator must not be empty or contain"),
        ((*SAMPLING, "--smpl-entries=0", "true"), "--smpl-entries"),
        ((*SAMPLING, "--smpl-pmds=nonsense", "true"), "'nonsense'"),
        ((*SAMPLING, "--smpl-pmds=320", "true"), "'320'"),
        ((*SAMPLING, "--smpl-pmds=5-3", "true"), "'5-3'"),
        ((*SAMPLING, "--priv-levels=1", "true"), "'1' is not u, k or uk"),
        ((*SAMPLING, "--smpl-regions=1", "true"), "'1' is not a number from 2 to 64"),
        ((*SAMPLING, "--smpl-regions=65", "true"), "'65' is not a number from 2 to 64"),
        ((*SAMPLING, "--smpl-record=p4", "true"), "'p4' is not base"),
        ((*SAMPLING, "--smpl-arg=abc", "true"), "hexadecimal"),
        ((*SAMPLING, "--smpl-arg=", "true"), "hexadecimal"),
        ((*SAMPLING, "--smpl-arg=zz", "true"), "hexadecimal"),
        (("-e", "cpu-clock", "--attach-task=0"), "not a thread ID"),
        (("-e", "cpu-clock", "--session-timeout=0", "true"), "number of seconds"),
        (("-e", "cpu-clock", "--session-timeout=nan", "true"), "number of seconds"),
        (("-e", "cpu-clock", "--duration=0", "true"), "number of seconds"),
        (("-e", "cpu-clock", "--snapshot=x", "true"), "number of seconds"),
        (("-e", "cpu-clock", "--delay=-2", "true"), "milliseconds from 0.001"),
        (("-e", "cpu-clock", "--control=x", "true"), "'x' is not fifo:PATH"),
        (("-e", "cpu-clock", "--control=fifo:", "true"), "'fifo:' is not fifo:PATH"),
    ],
)
def test_option_argument_usage_errors(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, arguments)
