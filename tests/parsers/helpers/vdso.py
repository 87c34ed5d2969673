# SPDX-License-Identifier: MIT OR GPL-2.0
"""Return images of vDSOs, and build the chunks that contain them."""

from __future__ import annotations

import re
import struct
from pathlib import Path


def payload(build_id: bytes, image: bytes) -> bytes:
    """Build the payload of a VDSO chunk."""
    return struct.pack("<II64s", len(build_id), 0, build_id) + image


def own_image() -> bytes:
    """Return the vDSO of this process."""
    line = re.search(r"(\w+)-(\w+) .*\[vdso\]", Path("/proc/self/maps").read_text())
    assert line is not None
    start, end = (int(number, 16) for number in line.groups())
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        memory.seek(start)
        return memory.read(end - start)
