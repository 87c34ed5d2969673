# SPDX-License-Identifier: MIT OR GPL-2.0
"""The cost of a sample in instructions: a command in a guest, and its checks."""

from __future__ import annotations

import re

FLOOR = "pfm_floor"
# A row of pfm_bench: recorder, samples, instructions, those above an empty handler.
ROW = re.compile(
    r"^(\S.*?) +\d+ +[\d.]+ +(-?[\d.]+)(?:  bound (\d+): \w+)?$", re.MULTILINE
)
# The bounds are for the compiler of Debian 12: other compilers differ a little.
COMPILERS = 1.1
# Formats, and the BPF programs that do the same.
BESIDE_BPF = {
    "perfmon, a table": "BPF, counts by address",
    "perfmon stacks format": "BPF, counts by user stack",
}


def command() -> str:
    """Return the command that measures page faults with each recorder."""
    module = f"/lib/modules/$(uname -r)/extra/tests/bench/floor/{FLOOR}.ko"
    return f"insmod {module} && pfm_bench faults && rmmod {FLOOR}"


def check(printed: str) -> None:
    """Fail the test unless samples are as cheap as docs/performance.md says."""
    rows = ROW.findall(printed)
    costs = {name: float(cost) for name, cost, _ in rows}
    bounds = {name: float(bound) for name, _, bound in rows if bound}
    assert len(bounds) > len(BESIDE_BPF), printed
    assert not [n for n, bound in bounds.items() if costs[n] > COMPILERS * bound], rows
    for ours, bpf in BESIDE_BPF.items():
        assert costs[ours] < costs[bpf], rows
