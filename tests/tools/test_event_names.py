# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the names of the generic events, and their list."""

from __future__ import annotations

import pytest
from pfmon import Pfmon


def test_list_events_has_the_generic_names(pfmon: Pfmon) -> None:
    run = pfmon("--list-events")
    assert run.returncode == 0
    names = set(run.stdout.split())
    assert {
        "cpu-clock",
        "task-clock",
        "page-faults",
        "faults",
        "context-switches",
        "cs",
        "cpu-migrations",
        "minor-faults",
        "major-faults",
        "cycles",
        "cpu-cycles",
        "instructions",
        "cache-references",
        "cache-misses",
        "branches",
        "branch-misses",
        "bus-cycles",
        "L1-dcache-load-misses",
        "iTLB-loads",
        "node-prefetch-misses",
        "perf::PERF_COUNT_SW_CPU_CLOCK",
    } <= names


@pytest.mark.parametrize("form", [("--list-events=^cpu-c",), ("-l", "^CPU-C")])
def test_list_events_takes_a_pattern(pfmon: Pfmon, form: tuple[str, ...]) -> None:
    assert pfmon(*form).stdout.split() == ["cpu-cycles", "cpu-clock"]
