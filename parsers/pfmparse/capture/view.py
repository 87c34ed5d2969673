# SPDX-License-Identifier: MIT OR GPL-2.0
"""The view that a capture requests: a part of the SESS chunk (docs/capture.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

from .json_node import Node


@dataclass(frozen=True)
class View:
    """A command of pfmparse and its options, by their long names.

    The strings are not validated yet.
    """

    command: str
    options: Mapping[str, str]


def parse_view(node: Node) -> View:
    """The view in a session."""
    options = {
        name: value.string() for name, value in node["options"].members().items()
    }
    return View(node["command"].string(), options)
