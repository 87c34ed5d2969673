# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure 10,000 threads that exist at the same time, as a user without privileges."""

from __future__ import annotations

import following
import users
from boot import Boot

THREADS, CALLS = 10_000, 3
# Debian's default limit on locked memory in KiB.
MEMLOCK = 8192
CAPTURE = "many.cap"
# Kernel settings: room for twice the threads, and the level at which users may measure
# tracepoints of their own threads.
SETTINGS = {"threads-max": 2 * THREADS, "perf_event_paranoid": 1}


def command() -> str:
    """Return the command that counts, and then samples, the calls of all threads."""
    measure = f"{users.AS_USER} pfmon -e {following.EVENT}"
    # The buffer has room for all samples.
    sample = f"{measure} --long-smpl-periods=1 --smpl-entries={2 * THREADS}"
    lines = [
        "cd /proc/sys/kernel",
        *(f"cat {name} >/tmp/{name}" for name in SETTINGS),
        *(f"echo {value} >{name}" for name, value in SETTINGS.items()),
        # Let the user read the number of the tracepoint.
        f"mount -o remount,mode=750,gid={users.ID} /sys/kernel/tracing",
        "chmod 777 /out",
        f"ulimit -l {MEMLOCK} -u {2 * THREADS}",
        f"{measure} family threads {THREADS} {CALLS}",
        f"{sample} -o /out/{CAPTURE} family threads {THREADS} 1",
        "mount -o remount,mode=700,gid=0 /sys/kernel/tracing",
        *(f"cat /tmp/{name} >{name}" for name in SETTINGS),
    ]
    return f"({' && '.join(lines)}) 2>&1"


def check(boot: Boot) -> None:
    """Fail the test unless the calls of each thread were counted and sampled."""
    printed = boot.printed("many_threads")
    assert boot.command("many_threads") == 0, printed
    assert following.counts(printed) == [THREADS * CALLS], printed
    capture = boot.out / CAPTURE
    info = following.pfmparse("info", capture)
    assert (info["samples"], info["lost"]) == (THREADS, 0), printed
    rows = following.pfmparse("report", "--by", "tid", capture)["rows"]
    assert [row["count"] for row in rows] == [1] * THREADS
