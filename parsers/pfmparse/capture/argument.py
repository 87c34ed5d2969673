# SPDX-License-Identifier: MIT OR GPL-2.0
"""Changes of the format's argument: the FARG chunks (docs/capture.md)."""

from __future__ import annotations

from dataclasses import dataclass

from .json_node import Node

MAX_CHANGES = 1 << 12


@dataclass(frozen=True)
class ArgumentChange:
    """A change of the argument: when the change was complete, and the new bytes.

    ``realtime_ns`` is in ns since 1970. The change began at most ``uncertainty_ns``
    earlier.
    """

    realtime_ns: int
    uncertainty_ns: int
    arg: bytes


def parse_change(text: bytes, offset: int) -> ArgumentChange:
    """Parses a FARG document that starts at byte ``offset`` of the file."""
    node = Node.parse(text, "FARG", offset)
    return ArgumentChange(
        realtime_ns=node["realtime_ns"].u64(),
        uncertainty_ns=node["uncertainty_ns"].u64(),
        arg=node["arg"].hexadecimal(),
    )
