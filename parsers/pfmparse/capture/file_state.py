# SPDX-License-Identifier: MIT OR GPL-2.0
"""The state of mapped files when they were recorded: build IDs, size and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .json_node import Node


@dataclass(frozen=True)
class FileState:
    """The state of a file without GNU's build ID when it was recorded.

    ``go_build_id`` is the ID of Go's linker, None if there is none.
    """

    size: int
    mtime_ns: int
    go_build_id: Optional[str] = None


def parse_build_id(node: Node) -> Optional[bytes]:
    """The build ID of a mapping or a cookie."""
    return node["build_id"].unless_null(Node.hexadecimal) or None


def parse_state(node: Node) -> Optional[FileState]:
    """The state of the file of a mapping or a cookie, None if it is not recorded."""
    size = node.optional("size", Node.u64)
    mtime_ns = node.optional("mtime_ns", Node.u64)
    go_build_id = node.optional("go_build_id", Node.string)
    if size is None or mtime_ns is None:
        return None
    return FileState(size, mtime_ns, go_build_id)
