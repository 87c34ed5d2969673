# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure the cost of a sample in instructions: a command for a guest, and its checks.
"""

from __future__ import annotations

import re

FLOOR = "pfm_floor"
# A row of pfm_bench: the recorder, the number of samples, the instructions per sample,
# the difference from an empty handler and, for some recorders, the bound of this
# difference.
ROW = re.compile(
    r"^(\S.*?) +\d+ +[\d.]+ +(-?[\d.]+)(?:  bound (\d+): \w+)?$", re.MULTILINE
)
# Results vary by this many instructions. The compiler does not change them: modules are
# always built with the compiler of the kernel's release.
VARIATION = 1
# Recorders of perfmon, and the BPF programs that do the same work and must cost more.
BESIDE_BPF = {
    "perfmon, a table": "BPF, counts by address",
    "perfmon stacks format": "BPF, counts by user stack",
}


def command() -> str:
    """Return the command that samples page faults with each recorder."""
    module = f"/lib/modules/$(uname -r)/extra/tests/bench/floor/{FLOOR}.ko"
    return f"insmod {module} && pfm_bench faults && rmmod {FLOOR}"


def check(printed: str) -> None:
    """Fail the test if a sample costs more than its bound, or more than with BPF.

    docs/performance.md lists the bounds.
    """
    rows = ROW.findall(printed)
    costs = {name: float(cost) for name, cost, _ in rows}
    bounds = {name: float(bound) for name, _, bound in rows if bound}
    assert len(bounds) > len(BESIDE_BPF), printed
    assert not [n for n, bound in bounds.items() if costs[n] > bound + VARIATION], rows
    for ours, bpf in BESIDE_BPF.items():
        assert costs[ours] < costs[bpf], rows
