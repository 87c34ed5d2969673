# SPDX-License-Identifier: MIT OR GPL-2.0
"""Where the viewers are that npm has."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parents[2]
NODE_MODULES = ROOT / "build/viewers/node_modules"


class Node(Protocol):
    """Runs a script; what it prints. Words by name are for its environment."""

    def __call__(self, script: Path, *arguments: str, **environment: str) -> str:
        ...
