# SPDX-License-Identifier: MIT OR GPL-2.0
"""Define the directory of npm's viewers."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parents[2]
NODE_MODULES = ROOT / "build/viewers/node_modules"


class Node(Protocol):
    """Run a script and return its output. Keyword arguments set its environment."""

    def __call__(self, script: Path, *arguments: str, **environment: str) -> str:
        ...
