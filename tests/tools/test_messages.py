# SPDX-License-Identifier: MIT OR GPL-2.0
"""docs/pfmon_messages.md has every message of pfmon, and no others.

A message is the text of a call of message() in tools/pfmon. What fills in its gaps, and
words that the preprocessor puts there, are "…" on the page.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "pfmon_messages.md"
GAP = "…"

LITERAL = r'"(?:[^"\\]|\\.)*"'
CALL = re.compile(rf"\bmessage\(\s*((?:(?:{LITERAL}|[A-Z_]+)\s*)+)")
PIECE = re.compile(rf"{LITERAL}|[A-Z_]+")
CONVERSION = re.compile(r"%(?:[-0-9#.*]*)(?:[hlzj]*)[a-zA-Z]")
# Nothing but what somebody else says; those have messages of their own.
PASSED_ON = {GAP}


def _text(pieces: str) -> str:
    """Return the message that the words of a call make."""
    words = [
        piece[1:-1].replace('\\"', '"') if piece.startswith('"') else GAP
        for piece in PIECE.findall(pieces)
    ]
    return CONVERSION.sub(GAP, "".join(words))


def messages_of(source: str) -> list[str]:
    return [_text(call[1]) for call in CALL.finditer(source)]


def in_the_source() -> set[str]:
    files = (ROOT / "tools" / "pfmon").rglob("*.c")
    found = {text for file in files for text in messages_of(file.read_text("utf-8"))}
    return found - PASSED_ON


def rows() -> list[list[str]]:
    lines = PAGE.read_text("utf-8").splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
    return [[cell.strip() for cell in row] for row in cells]


def pattern_of(row: list[str]) -> re.Pattern[str]:
    text = row[0].strip("`")
    return re.compile(".*".join(map(re.escape, text.split(GAP))))


def test_messages_are_found_in_calls() -> None:
    source = 'message("there is no %s, " LOAD "%-5u here",\n\ta, b); message("%s", c);'
    assert messages_of(source) == ["there is no …, …… here", "…"]
    assert len(in_the_source()) > 100


def test_every_message_is_on_the_page() -> None:
    patterns = [pattern_of(row) for row in rows()]
    new = [
        text
        for text in sorted(in_the_source())
        if not any(pattern.fullmatch(text) for pattern in patterns)
    ]
    assert new == [], f"{PAGE.name} does not say why these come and what to do"


def test_every_row_is_of_a_message() -> None:
    texts = in_the_source()
    stale = [
        row[0]
        for row in rows()
        if not any(pattern_of(row).fullmatch(text) for text in texts)
    ]
    assert stale == []


def test_every_row_has_a_remedy() -> None:
    assert [row for row in rows() if len(row) < 2 or not all(row)] == []
