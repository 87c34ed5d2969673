# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check a million random unwind tables, and unwind random stacks with them."""

from __future__ import annotations

import subprocess
from pathlib import Path

TRIALS = 1_000_000
# PFM_UNWIND_MAX_FRAMES
LONGEST = 127


def test_random_tables_and_stacks_keep_promises(programs: Path) -> None:
    run = subprocess.run(
        [programs / "unwind_trials", str(TRIALS), "31"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    seen = {name: int(n) for name, n in map(str.split, run.stdout.splitlines())}
    assert seen.pop("trials") == TRIALS
    assert seen.pop("more") == 0
    assert seen.pop("longest") == LONGEST
    assert min(seen.values()) > 1000, seen
