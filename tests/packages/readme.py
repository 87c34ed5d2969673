# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the commands in README that build, install and use the packages."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = r"<!-- tried: {} -->\n+```\w*\n(.*?)```"


def building() -> list[str]:
    """Return the commands that build the packages."""
    return _lines("packages")


def using() -> list[str]:
    """Return the commands that install and use the packages."""
    return _lines("on-your-machine")


def _lines(name: str) -> list[str]:
    text = README.read_text(encoding="utf-8")
    (block,) = re.findall(BLOCK.format(name), text, re.DOTALL)
    assert isinstance(block, str)
    return block.splitlines()


def needs_kernel(line: str) -> bool:
    """Return whether a command needs the machine's kernel, and not only its files."""
    return not re.search(r"\b(apt|apt-get|dpkg|adduser|usermod)\b", line)
