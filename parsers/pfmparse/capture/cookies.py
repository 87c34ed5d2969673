# SPDX-License-Identifier: MIT OR GPL-2.0
"""The files that cookies identify: the COOK chunks (docs/capture.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .json_node import Node
from .maps import FileState, parse_build_id, parse_state


@dataclass(frozen=True)
class CookieFile:
    """The file that a cookie identifies; an unknown ``build_id`` is None."""

    path: str
    build_id: Optional[bytes]
    state: Optional[FileState] = None


def parse_cookies(text: bytes, offset: int) -> dict[int, CookieFile]:
    """Parses the COOK document that starts at byte ``offset`` of the file."""
    node = Node.parse(text, "COOK", offset)
    return {item["cookie"].u64(): _file(item) for item in node["cookies"].items()}


def _file(node: Node) -> CookieFile:
    return CookieFile(
        path=node.exact_text("path"),
        build_id=parse_build_id(node),
        state=parse_state(node),
    )
