# SPDX-License-Identifier: MIT OR GPL-2.0
"""The lines of README that build the packages, and take a bare machine to a profile."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = r"<!-- tried: {} -->\n+```\w*\n(.*?)```"


def building() -> list[str]:
    """Return the commands that build the packages, as they are there."""
    return _lines("packages")


def using() -> list[str]:
    """Return the commands that install and use them, as they are there."""
    return _lines("on-your-machine")


def _lines(name: str) -> list[str]:
    text = README.read_text(encoding="utf-8")
    (block,) = re.findall(BLOCK.format(name), text, re.DOTALL)
    assert isinstance(block, str)
    return block.splitlines()


def needs_kernel(line: str) -> bool:
    """Tell whether a line needs the machine's kernel, not only its disk."""
    return not re.search(r"\b(apt|apt-get|dpkg|adduser|usermod)\b", line)
