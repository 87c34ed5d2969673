# SPDX-License-Identifier: MIT OR GPL-2.0
"""Messages, and texts of names and numbers."""

from __future__ import annotations

import codecs
import re
import sys
from contextlib import suppress
from typing import Any, Callable, Optional

# Bytes of a name that are not UTF-8 are surrogates in Python: 0xe9 is U+DCE9.
FIRST_BYTE, LAST_BYTE = "\udc80", "\udcff"


def printable(text: str) -> str:
    r"""Escapes unprintable characters, and bytes that are not UTF-8 (as \xe9)."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    if FIRST_BYTE <= character <= LAST_BYTE:
        return f"\\x{ord(character) & 0xFF:02x}"
    return ascii(character)[1:-1]


def _escaped_all(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    characters = error.object[error.start : error.end]
    return "".join(map(_escaped, characters)), error.end


# An error handler for encoding. It escapes characters that cannot be encoded, in the
# way that printable() does.
ESCAPED = "pfmparse.escaped"
codecs.register_error(ESCAPED, _escaped_all)

# An escape sequence in JSON. If it stands for a byte that is not UTF-8, group 1 has the
# byte's digits.
_SEQUENCE = re.compile(r"\\(?:ud[89ab]..\\u....|udc([89a-f].)|.)")


def json_text(
    document: object, default: Optional[Callable[[Any], object]] = None
) -> str:
    """Returns a document as JSON; escapes bytes that are not UTF-8 as in printable().

    Many programs refuse the surrogates that stand for such bytes. ``default`` is as in
    json.dumps().
    """
    import json  # slow to import, and many commands do not need it

    text = json.dumps(document, default=default)
    if "\\udc" not in text:
        return text
    return _SEQUENCE.sub(lambda m: f"\\\\x{m[1]}" if m[1] else m[0], text)


MARKUP = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
)


def markup(text: str) -> str:
    """Converts a text for HTML and XML, which forbid some control characters."""
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
    # If standard error is missing, print() would use standard output.
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"pfmparse: {printable(text)}", file=sys.stderr)
