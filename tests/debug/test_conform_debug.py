# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test pfm-conform --debug: our formats pass, and faults that need --debug are found.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from boot import ROOT
from conform_report import results
from programs import FORMATS

CONFORM = ROOT / "sdk/conform/run"
BROKEN = ROOT / "tests/sdk/broken"
# For each format with a fault that only the debug kernel finds: the check that fails,
# and its message.
EXPECTED = {
    "allocates": ("nmis", "takes a lock or allocates memory where it must not"),
    "faults": ("records", "sleeps where it must not .*sleeping function called"),
    "leaks": ("leaks", r"leak memory: .* allocated by leaks_init\+"),
    "locks": ("interrupts", "takes a lock or allocates memory where it must not"),
    "reads": ("records", "accesses memory beyond what it was given .*KASAN: "),
}


def conform(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run pfm-conform on the debug kernel."""
    return subprocess.run(
        [CONFORM, "--debug", "--quick", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_conform_debug_passes_all_formats() -> None:
    done = conform(*FORMATS)
    found = results(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [*found] == [*FORMATS]


@pytest.mark.parametrize("name", EXPECTED)
def test_conform_debug_finds_broken_formats(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(BROKEN, folder)
    (folder / "Makefile").write_text(f"obj-m := pfm_fmt_broken_{name}.o\n")
    check, words = EXPECTED[name]
    # Run the check "full", too: it calls the handler in a thread, and lockdep reports a
    # lock in an interrupt only if it has seen the lock in a thread before.
    done = conform("--check", "full", "--check", check, folder)
    outcome, text = results(done.stdout)[f"broken_{name}"][check]
    assert (done.returncode, outcome) == (1, "not ok"), done.stderr
    assert re.search(words, text)
