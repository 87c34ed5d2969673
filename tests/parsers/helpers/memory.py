# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure the resident memory of mapped files."""

from __future__ import annotations

import re
from pathlib import Path

SMAPS = Path("/proc/self/smaps")


def resident(path: Path) -> int:
    """Return the number of resident bytes of a mapped file."""
    found = re.search(
        rf"{re.escape(str(path))}\n(?:\w+: .*\n)*?Rss: +(\d+) kB", SMAPS.read_text()
    )
    assert found is not None
    return int(found[1]) << 10
