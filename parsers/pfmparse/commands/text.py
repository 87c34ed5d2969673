# SPDX-License-Identifier: MIT OR GPL-2.0
"""Functions for printing text and numbers."""

from __future__ import annotations

from typing import Optional


def printable(text: str) -> str:
    """The text with non-printable characters escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def known(value: Optional[int]) -> str:
    """A number, or "unknown" for None."""
    return "unknown" if value is None else str(value)
