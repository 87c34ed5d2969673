# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that pages, comments and messages are plain English."""

from __future__ import annotations

import pytest
from prose import ALLOWED, RULES, find, is_allowed, tracked

MOST_ALLOWED = 40


def test_tree_has_no_doubtful_sentences() -> None:
    lines = ALLOWED.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if not line.startswith("#")]
    found = [doubt for name, text in tracked() for doubt in find(name, text)]
    bad = [
        f"{doubt.file}:{doubt.line}: {doubt.rule}: {doubt.sentence}"
        for doubt in found
        if not is_allowed(doubt, rows)
    ]
    assert not bad, "\n".join(bad)
    unused = [row for row in rows if not any(is_allowed(d, [row]) for d in found)]
    assert not unused, "rows of prose.allow that allow nothing"
    assert len(rows) <= MOST_ALLOWED


@pytest.mark.parametrize(
    "text",
    [
        "/* What is no errno is the format's. */\n",
        "\tmessage(\"'0' is no number from 1 on\");\n",
        "/* Read it, and nobody waits. */\n",
        "/* The same, for a thread. */\n",
        "/* Of several, the first is read. */\n",
        "/* It is read by who has opened it. */\n",
        "/* Free all but those of a set. */\n",
        '"""Sample so often a second."""\n',
        '"""Return how the process goes on."""\n',
    ],
)
def test_each_kind_is_found(text: str) -> None:
    name = "x.py" if '"""' in text else "x.c"
    assert {doubt.line for doubt in find(name, text)} == {1}


def test_page_is_read_outside_code() -> None:
    text = "The file is none.\n```\nthis is none\n```\n"
    assert [doubt.line for doubt in find("x.md", text)] == [1]


def test_plain_sentences_are_not_found() -> None:
    text = "There is no such event. Who owns the buffer? It is no longer used.\n"
    assert list(find("x.md", text)) == []
    assert len(RULES) == 6
