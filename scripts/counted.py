# SPDX-License-Identifier: MIT OR GPL-2.0
"""Counts what is expensive: guests booted, kernels built.

A caller that sets $PERFMON_COUNTED to the path of a file gets a line for each.
"""

from __future__ import annotations

import os

GUEST = "guest"
KERNEL = "kernel"
# Guests that were ended by a fault of the emulator.
MISREAD = "misread"


def count(what: str) -> None:
    """Add one of these to the count, if there is a file for it."""
    path = os.environ.get("PERFMON_COUNTED")
    if path:
        with open(path, "a", encoding="ascii") as file:
            file.write(f"{what}\n")
