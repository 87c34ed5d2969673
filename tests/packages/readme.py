# SPDX-License-Identifier: MIT OR GPL-2.0
"""The lines of README that take a bare machine to a profile."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"<!-- tried: on-your-machine -->\n+```\w*\n(.*?)```", re.DOTALL)


def lines() -> list[str]:
    """Return the commands of the block that is marked as tried, as they are there."""
    (block,) = BLOCK.findall(README.read_text(encoding="utf-8"))
    assert isinstance(block, str)
    return block.splitlines()


def needs_kernel(line: str) -> bool:
    """Tell whether a line needs the machine's kernel, not only its disk."""
    return not re.search(r"\b(apt|apt-get|dpkg|adduser|usermod)\b", line)
