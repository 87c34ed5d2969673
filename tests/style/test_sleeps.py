# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that tests wait for events: each sleep has a comment "Sleep because ..."."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SUFFIXES = (".c", ".h", ".py", ".sh")
# In shell commands, a sleep of 20 seconds or more is a process that runs until it is
# killed.
SLEEP = re.compile(
    r"\b(([mu]|clock_nano|nano|f|s)?sleep(_range)?|schedule_(hr)?timeout\w*"
    r"|[mun]delay|wait_\w+_timeout)\("
    r"|\busleep \d|\bsleep (1?[1-9]|10|1?\d?\.\d)(?!\d)"
)
# The reason must be no more than this number of lines above the call.
NEAR = 4


def unexplained(text: str) -> list[str]:
    """Return the lines that sleep without a reason."""
    lines = [""] * NEAR + text.splitlines()
    return [
        line.strip()
        for n, line in enumerate(lines)
        if SLEEP.search(line) and "Sleep because" not in "".join(lines[n - NEAR : n])
    ]


def test_each_sleep_has_a_reason() -> None:
    for path in TESTS.rglob("*"):
        if path.suffix in SUFFIXES and path != Path(__file__):
            assert not unexplained(path.read_text()), path


@pytest.mark.parametrize(
    "line",
    ["\tusleep(1);", "    time.sleep(0.05)", "usleep 10000", "sh -c 'sleep 1; true'"]
    + [f"sleep {time}" for time in ("0.1", "1.5", ".5", "10", "19", "6")],
)
def test_sleep_without_reason_is_found(line: str) -> None:
    code = f"{{\n{line}\n}}\n"
    assert unexplained(code) == [line.strip()]
    assert unexplained("/* Sleep because time is counted. */\n" + code) == []


@pytest.mark.parametrize(
    "line", ["sleep 1000 &", "sleep 20", "exec sleep 0", "asleep 1"]
)
def test_process_that_is_killed_needs_no_reason(line: str) -> None:
    assert unexplained(line) == []
