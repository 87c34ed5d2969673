# SPDX-License-Identifier: MIT OR GPL-2.0
"""What is not a list of CPUs."""

from __future__ import annotations

import pytest
from pfmon import Pfmon, complaint_of


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-e", "cpu-clock", "--system-wide", "--cpu-list=2-1"), "list of CPUs"),
        (("-e", "cpu-clock", "--system-wide", "--cpu-list=0,"), "list of CPUs"),
        (("-e", "cpu-clock", "--system-wide", "--cpu-list=99999"), "list of CPUs"),
    ],
)
def test_usage_errors_say_what_is_wrong(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, arguments)
