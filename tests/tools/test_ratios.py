# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print ratios of counts to other counts and to times."""

from __future__ import annotations

import pytest
from counts import Counts, thread

S = 1_000_000_000


def ratios(counts: Counts, events: str, *values: int | str) -> list[str]:
    """Return the text after # on each line of a two-second measurement."""
    script = [*thread(*values), f"times {2 * S} 0 0", "end 0"]
    lines = counts.printed(f"-e {events}", *script).splitlines()
    return [" ".join(line.partition("#")[2].split()) for line in lines]


@pytest.mark.parametrize(
    ("events", "values", "expected"),
    [
        ("cycles,instructions", (100, 250), ["", "2.500 insn per cycle"]),
        ("cpu-cycles:u,instructions:u", (4, 3), ["", "0.750 insn per cycle"]),
        (
            "instructions,branches,branch-misses",
            (9, 80, 4),
            ["", "", "5.000 % of branches"],
        ),
        (
            "cache-references,cache-misses",
            (10, 1),
            ["", "10.000 % of cache-references"],
        ),
        (
            "L1-dcache-load-misses,L1-dcache-loads",
            (1, 8),
            ["12.500 % of L1-dcache-loads", ""],
        ),
        ("dTLB-store-misses,dTLB-stores", (1, 1), ["100.000 % of dTLB-stores", ""]),
        ("cycles,stalled-cycles-backend", (4, 1), ["", "25.000 % of cycles"]),
        (
            "task-clock,cycles",
            (S, 3 * S),
            ["0.500 CPUs utilised", "3.000 GHz"],
        ),
        (
            "cpu-clock,page-faults,r1",
            (S // 2, 50, 2_000_000),
            ["0.250 CPUs utilised", "100.000 /sec", "4.000 M/sec"],
        ),
    ],
)
def test_ratios(
    counts: Counts, events: str, values: tuple[int, ...], expected: list[str]
) -> None:
    assert ratios(counts, events, *values) == expected


@pytest.mark.parametrize(
    ("events", "values"),
    [
        ("instructions,page-faults", (100, 5)),
        ("cycles,instructions", (0, 100)),
        ("cycles,instructions", ("unsupported", 100)),
        ("cycles,instructions", (100, "unsupported")),
        ("cycles:u,instructions:k", (100, 100)),
        ("L1-dcache-loads,dTLB-load-misses", (100, 100)),
        ("branches,branch-misses", ("denied", 100)),
    ],
)
def test_ratio_needs_both_counts(
    counts: Counts, events: str, values: tuple[int | str, ...]
) -> None:
    assert ratios(counts, events, *values) == ["", ""]
