# SPDX-License-Identifier: MIT OR GPL-2.0
"""Messages, and texts of names and numbers."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Optional


def printable(text: str) -> str:
    """Escapes characters that are not printable."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


MARKUP = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
)


def markup(text: str) -> str:
    """Converts a text for HTML and XML, which do not allow all control characters."""
    return printable(text).translate(MARKUP)


def exact_bytes(text: str) -> bytes:
    """Encodes a text as UTF-8; surrogates become the bytes that they stand for."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def amount(number: int, things: str, form: str = "") -> str:
    """Formats a number and what it counts: "1 sample", "2 samples".

    ``form`` is the number's format, such as "," for groups of digits.
    """
    one = things.removesuffix("es" if things.endswith("sses") else "s")
    return f"{number:{form}} {one if number == 1 else things}"


def known(value: Optional[int]) -> str:
    """Returns a number as text, or "unknown" for None."""
    return "unknown" if value is None else str(value)


def message(text: str) -> None:
    """Prints a message as one line on standard error, if that is possible."""
    # Without standard error, print() would use standard output.
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"pfmparse: {printable(text)}", file=sys.stderr)
