# SPDX-License-Identifier: MIT OR GPL-2.0
"""The progress of a live session: the TICK chunks (docs/capture.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .json_node import Node


@dataclass(frozen=True)
class Tick:
    """The totals ``elapsed_ns`` after the session's start.

    ``samples`` is None if the tool cannot count the samples of the format. ``skipped``
    counts those that the format chose not to record; 0 in old captures.
    """

    elapsed_ns: int
    samples: Optional[int]
    lost: int
    skipped: int = 0


def parse_tick(text: bytes, offset: int) -> Tick:
    """The totals in a TICK document that starts at byte ``offset`` of the file."""
    node = Node.parse(text, "TICK", offset)
    return Tick(
        elapsed_ns=node["elapsed_ns"].u64(),
        samples=node["samples"].unless_null(Node.u64),
        lost=node["lost"].u64(),
        skipped=node.optional("skipped", Node.u64) or 0,
    )
