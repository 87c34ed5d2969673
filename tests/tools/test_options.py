# SPDX-License-Identifier: MIT OR GPL-2.0
"""Errors in the command line."""

from __future__ import annotations

import pytest
from pfmon import ERROR, SAMPLING, USAGE, Pfmon


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "no event given"),
        (("-e", "", "true"), "empty event name"),
        (("-e", "a,,b", "true"), "empty event name"),
        (("-e", ",".join(["x"] * 257), "true"), "more than 256 events"),
        (("-e", "cpu-clock"), "nothing to measure"),
        (("-e", "a", "--switch-timeout=4", "true"), "several -e"),
        (("-e", "a", "-e", "b", "--switch-timeout=x", "true"), "'x'"),
        ((*SAMPLING, "-e", "b", "--switch-timeout=4", "true"), "for counting"),
        (("--no-such-option",), "unrecognized option"),
        (("-e", "cpu-clock", "--long-smpl-periods=0", "true"), "'0'"),
        (("-e", "cpu-clock", "--long-smpl-periods=-5", "true"), "'-5'"),
        (("-e", "cpu-clock", "--long-smpl-periods=9x", "true"), "'9x'"),
        (
            ("-e", "cpu-clock", "--long-smpl-periods=9223372036854775808", "true"),
            "2^63-1",
        ),
        (("-e", "cpu-clock", "--long-smpl-periods=1,2", "true"), "more elements"),
        (("-e", "cpu-clock", "--short-smpl-periods=1,2", "true"), "more elements"),
        ((*SAMPLING, "--smpl-periods-random=1:2,3:4", "true"), "more elements"),
        ((*SAMPLING, "--smpl-periods-random=1", "true"), "MASK:SEED"),
        ((*SAMPLING, "--smpl-periods-random=1:4294967296", "true"), "MASK:SEED"),
        (
            ("-e", "cpu-clock", "--smpl-periods-random=1:2", "true"),
            "no sampling period",
        ),
        ((*SAMPLING, "--smpl-periods-random=1000:1", "true"), "must be smaller"),
        ((*SAMPLING, "--smpl-entries=0", "true"), "--smpl-entries"),
        ((*SAMPLING, "--smpl-pmds=nonsense", "true"), "'nonsense'"),
        ((*SAMPLING, "--smpl-pmds=320", "true"), "'320'"),
        ((*SAMPLING, "--smpl-no-hdr", "--smpl-ip-only", "true"), "exclude each other"),
        ((*SAMPLING, "--smpl-regions=1", "true"), "'1' is not a number from 2 to 64"),
        ((*SAMPLING, "--smpl-regions=65", "true"), "'65' is not a number from 2 to 64"),
        ((*SAMPLING, "--smpl-record=p4", "true"), "'p4' is neither base"),
        (
            ("-e", "cpu-clock", "--smpl-imprecise", "true"),
            "without a sampling period",
        ),
        ((*SAMPLING, "--smpl-arg=abc", "true"), "hexadecimal"),
        ((*SAMPLING, "--smpl-arg=", "true"), "hexadecimal"),
        ((*SAMPLING, "--smpl-arg=zz", "true"), "hexadecimal"),
        (("-e", "cpu-clock", "--smpl-entries=5", "true"), "without a sampling period"),
        (("-e", "cpu-clock", "--overflow-block", "true"), "without a sampling period"),
        (("-e", "cpu-clock", "--attach-task=0"), "not a thread id"),
        (("-e", "cpu-clock", "--attach-task=1", "true"), "takes no command"),
        (("-e", "cpu-clock", "--attach-task=1", "--system-wide"), "exclude each other"),
        ((*SAMPLING, "--system-wide", "--overflow-block"), "cannot block"),
        (("-e", "cpu-clock", "--cpu-list=0", "true"), "need --system-wide"),
        (("-e", "cpu-clock", "--system-wide", "--cpu-list=2-1"), "list of CPUs"),
        (("-e", "cpu-clock", "--system-wide", "--cpu-list=0,"), "list of CPUs"),
        (("-e", "cpu-clock", "--system-wide", "--cpu-list=99999"), "list of CPUs"),
        (("-e", "cpu-clock", "--session-timeout=0", "true"), "number of seconds"),
        (("-e", "cpu-clock", "--session-timeout=nan", "true"), "number of seconds"),
        (("-l", "("), "pattern '('"),
    ],
)
def test_usage_errors_say_what_is_wrong(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    run = pfmon(*arguments)
    assert run.returncode == USAGE
    assert complaint in run.stderr
    assert run.stdout == ""


def test_option_after_the_command_is_the_commands(pfmon: Pfmon) -> None:
    assert pfmon("-e", "no-such-event", "true", "--help").returncode == ERROR
