# SPDX-License-Identifier: MIT OR GPL-2.0
"""Runs a command: measure.py COMMAND... Prints seconds, those of CPUs, KiB at the peak.

A process of its own, because a child's peak is never less than its parent's size.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time


def main() -> None:
    """Runs it without output; fails as it does."""
    nothing = subprocess.DEVNULL
    start = time.monotonic()
    process = subprocess.Popen(sys.argv[1:], stdout=nothing, stderr=nothing)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(sys.argv[1:])}: status {process.returncode}")
    print(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


main()
