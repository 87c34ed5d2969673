# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the rows of tables in pages were not wrapped as text."""

from __future__ import annotations

import re

from pages import Page, pages

_DELIMITER = re.compile(r"\|(?: *:?---*:? *\|)+")


def _wrapped(page: Page) -> list[str]:
    """Return the lines that contain the delimiter row of a table and other text."""
    return [
        f"{page.name}:{number}"
        for number, line in enumerate(page.prose().split("\n"), 1)
        if _DELIMITER.search(line) and not _DELIMITER.fullmatch(line.strip())
    ]


def test_tables_are_not_wrapped() -> None:
    assert [line for page in pages() for line in _wrapped(page)] == []


def test_wrapped_table_is_found() -> None:
    rows = ["| a | b |", "|---|--:|", "| c | `d` |"]
    assert _wrapped(Page("x.md", "\n".join(rows))) == []
    assert _wrapped(Page("x.md", " ".join(rows))) == ["x.md:1"]
