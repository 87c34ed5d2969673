# SPDX-License-Identifier: MIT OR GPL-2.0
"""What info and report end with."""

from __future__ import annotations

import pytest
from cli import printed, told


def test_report_tells_what_was_lost_by_region(
    nway_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = told(capsys, "report", "--by", "ip", nway_file)
    assert [(row["address"], row["count"]) for row in report["rows"]] == [
        (0x1000, 2),
        (0x2000, 1),
    ]
    assert report["lost_in_buffers"] == {"overwritten": 3, "dropped": 4}
    assert report["lost_in_regions"] == [
        {"context": 0, "region": 0, "overwritten": 3, "dropped": 0},
        {"context": 0, "region": 1, "overwritten": 0, "dropped": 4},
        {"context": 0, "region": 2, "overwritten": 0, "dropped": 0},
    ]
    lines = printed(capsys, "report", nway_file).splitlines()
    at = lines.index("lost in buffers: 3 overwritten, 4 dropped")
    assert lines[at + 1 : at + 4] == [
        "lost in context 0, region 0: 3 overwritten, 0 dropped",
        "lost in context 0, region 1: 0 overwritten, 4 dropped",
        "notifications: 3",
    ]
