# SPDX-License-Identifier: MIT OR GPL-2.0
"""Count expensive operations: booting guests and building kernels.

If $PERFMON_COUNTED is the path of a file, each operation adds a line to it.
"""

from __future__ import annotations

import os

GUEST = "guest"
# A guest that was not booted, because an earlier run of it was kept.
REPLAYED = "replayed"
KERNEL = "kernel"
# A guest that ended because of a fault in the emulator.
MISREAD = "misread"


def count(what: str) -> None:
    """Append `what` to the file $PERFMON_COUNTED, if this variable is set."""
    path = os.environ.get("PERFMON_COUNTED")
    if path:
        with open(path, "a", encoding="ascii") as file:
            file.write(f"{what}\n")
