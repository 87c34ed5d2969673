# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check what is left when pfmon is killed at any point of a session that samples."""

from __future__ import annotations

import re
from pathlib import Path

import following
from boot import Boot
from programs import ALL

SCRIPT = Path(__file__).with_suffix(".sh")
SESSIONS = ("samples", "chains")
# kill_at kills pfmon at each STEP-th stop at a system call.
STEP = 7 if ALL else 61
# The output of the script if nothing is left of the sessions: the summaries of the
# sessions before and after those in which pfmon is killed.
SUMMARY = r"pfmon: \d+ samples, 0 lost, .*\n"
ENDED = re.compile(rf"{SUMMARY}calls: 6\n{SUMMARY}killed before (\d+): 1\n")
# The minimum number of captures that the end of pfmon truncates.
MIN_TRUNCATED = 5


def script() -> str:
    """Return the shell command that runs all parts of killed.sh."""
    return f"STEP={STEP}; {following.script(SCRIPT)}"


def check(guest: Boot, name: str) -> None:
    """Fail the test unless each capture with a session can be read."""
    printed, _ = following.part(guest, name, "killed")
    found = ENDED.fullmatch(printed)
    assert found, printed
    ends = range(1, int(found[1]) + 1, STEP)
    captures = [guest.out / f"{name}-{end}.cap" for end in ends]
    written = [file for file in captures if file.exists()]
    begun = [file for file in written if b"SESS" in file.read_bytes()]
    infos = [following.pfmparse("info", file) for file in begun]
    assert sum(info["truncated"] for info in infos) >= MIN_TRUNCATED, infos
    # pfmon was not killed in the last session.
    assert infos[-1]["samples"] and not infos[-1]["truncated"]
