# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run a command and print its cost: measure.py COMMAND...

Prints seconds, CPU seconds and peak memory in KiB. This is a separate process, because
a child's peak includes the size of its parent.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time


def main() -> None:
    """Run the command without output; fail if the command fails."""
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
