# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that code on pages agrees with the files from which it comes.

A comment before a block names the source of its lines:

    <!-- from: examples/format_count/pfm_fmt_count.c -->

The lines must be consecutive in the source; indentation may differ. A line of "..." or
a comment with "..." stands for omitted lines. A block of C that is in no file has
<!-- own example --> before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pages import ROOT, Block, Page, differs, expect_none, pages

# The pattern matches the end of a line of C. Lines of shell end differently.
_C = re.compile(r"[;{]$|^#include ", re.MULTILINE)


def _problem(block: Block) -> str:
    """Return the problem with a block, or ""."""
    if not block.mark.startswith("from: "):
        is_c = block.language == "c" or not block.language and _C.search(block.text)
        named = not is_c or block.mark == "own example"
        return "" if named else "this C has neither a source nor 'own example'"
    path = ROOT / block.mark.removeprefix("from: ")
    if not path.is_file():
        return f"{path.relative_to(ROOT)} does not exist"
    line = differs(block.text, path.read_text())
    return f"{path.relative_to(ROOT)} lacks '{line}' at this place" if line else ""


def problems(page: Page) -> Iterator[str]:
    """Yield the problems with the blocks of a page."""
    for block in page.blocks():
        if problem := _problem(block):
            yield f"{block.where}: {problem}"


def test_snippets_are_those_of_their_files() -> None:
    expect_none(problem for page in pages() for problem in problems(page))


def test_lines_may_be_left_out_at_dots() -> None:
    source = "a\n\tb\nc\nd\n"
    assert not differs("b\n    c\n", source)
    assert not differs("a\n...\nd\n", source)
    assert differs("a\nc\n", source) == "a"
    assert differs("d\n...\na\n", source) == "a"
    assert differs("a\nx\n", source) == "x"


def test_snippets_without_source_are_found() -> None:
    text = "```c\na\n```\n<!-- from: no.c -->\n```\nb\n```\n```\nb\n```\n"
    assert list(problems(Page("p.md", text))) == [
        "p.md:1: this C has neither a source nor 'own example'",
        "p.md:5: no.c does not exist",
    ]


def test_c_block_without_language_is_found() -> None:
    for line in ("int x;", "if (x) {", "#include <a.h>"):
        page = Page("p.md", f"```\n{line}\n```\n```sh\n{line}\n```\n")
        assert list(problems(page)) == [
            "p.md:1: this C has neither a source nor 'own example'"
        ]


def test_snippet_that_is_not_in_its_file_is_found() -> None:
    text = "<!-- from: VERSION.py -->\n```c\nx\n```\n".replace("VERSION.py", "Makefile")
    assert list(problems(Page("p.md", text))) == [
        "p.md:2: Makefile lacks 'x' at this place"
    ]
