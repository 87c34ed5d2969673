# SPDX-License-Identifier: MIT OR GPL-2.0
"""Text formatting that all commands share."""

from __future__ import annotations

import pytest
from pfmparse.commands.text import known, printable


@pytest.mark.parametrize(
    "text,shown",
    [
        ("", ""),
        ("main (/bin/x)", "main (/bin/x)"),
        ("größe", "größe"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\ud800", "\\ud800"),
        ("\u202e", "\\u202e"),  # right-to-left override
        ("\x9b", "\\x9b"),
    ],
)
def test_only_printable_characters_are_printed(text: str, shown: str) -> None:
    assert printable(text) == shown and shown.isprintable()


def test_unknown_number_is_printed_as_unknown() -> None:
    assert (known(0), known(1 << 64), known(None)) == (
        "0",
        "18446744073709551616",
        "unknown",
    )
