# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure the cost of a sample in instructions: a command for a guest, and its checks.
"""

from __future__ import annotations

import re

FLOOR = "pfm_floor"
# A row of pfm_bench: the recorder, the number of samples, the instructions per sample,
# and how many more these are than with an empty handler.
ROW = re.compile(
    r"^(\S.*?) +\d+ +[\d.]+ +(-?[\d.]+)(?:  bound (\d+): \w+)?$", re.MULTILINE
)
# The bounds hold for Debian 12's compiler. Allow for the differences of other
# compilers.
COMPILERS = 1.1
# Formats, and the BPF programs that do the same.
BESIDE_BPF = {
    "perfmon, a table": "BPF, counts by address",
    "perfmon stacks format": "BPF, counts by user stack",
}


def command() -> str:
    """Return the command that samples page faults with each recorder."""
    module = f"/lib/modules/$(uname -r)/extra/tests/bench/floor/{FLOOR}.ko"
    return f"insmod {module} && pfm_bench faults && rmmod {FLOOR}"


def check(printed: str) -> None:
    """Fail the test unless a sample costs at most what docs/performance.md says."""
    rows = ROW.findall(printed)
    costs = {name: float(cost) for name, cost, _ in rows}
    bounds = {name: float(bound) for name, _, bound in rows if bound}
    assert len(bounds) > len(BESIDE_BPF), printed
    assert not [n for n, bound in bounds.items() if costs[n] > COMPILERS * bound], rows
    for ours, bpf in BESIDE_BPF.items():
        assert costs[ours] < costs[bpf], rows
