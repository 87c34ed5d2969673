# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse valid and invalid lists of CPUs."""

from __future__ import annotations

import subprocess
from pathlib import Path

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
def test_cpu_list_usage_errors(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, arguments)


@pytest.mark.parametrize(
    ("text", "ordered", "cpus"),
    [
        ("0", "0", [0]),
        ("0,2-3", "0,2-3", [0, 2, 3]),
        ("3,1-2,2", "1-3", [1, 2, 3]),
        ("7-9,1,3,4", "1,3-4,7-9", [1, 3, 4, 7, 8, 9]),
        ("1023", "1023", [1023]),
    ],
)
def test_list_is_in_order_and_without_duplicates(
    programs: Path, text: str, ordered: str, cpus: list[int]
) -> None:
    done = subprocess.run(
        [programs / "cpu_lister", text], capture_output=True, text=True, check=True
    )
    shown, *lines = done.stdout.split()
    assert shown == ordered
    assert [int(line) for line in lines] == cpus


@pytest.mark.parametrize("text", ["", "a", "-1", "1-", "0,,1", "0-1-2", "1024", "0 "])
def test_invalid_cpu_list_is_refused(programs: Path, text: str) -> None:
    done = subprocess.run([programs / "cpu_lister", text], check=False)
    assert done.returncode == 1
