# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that tests wait for events: each sleep has a comment "Sleep because ..."."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SLEEP = re.compile(
    r"\b(([mu]|clock_nano|nano|f|s)?sleep(_range)?|schedule_(hr)?timeout\w*"
    r"|[mun]delay|wait_\w+_timeout)\("
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
    for folder in ("guest", "kunit"):
        for path in (TESTS / folder).rglob("*.[ch]"):
            assert not unexplained(path.read_text()), path


def test_sleep_without_reason_is_found() -> None:
    code = "{\n\tusleep(1);\n}\n"
    assert unexplained(code) == ["usleep(1);"]
    assert unexplained("/* Sleep because time is counted. */\n" + code) == []
