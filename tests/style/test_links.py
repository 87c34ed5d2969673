# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the files, folders and headings named in the pages exist."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from pages import ROOT, Page, expect_none, files, pages

# The pattern matches a path in code: a top folder of the project, and names below it.
_PATH = re.compile(r"(?<![\w./<-])((?:[a-z0-9_]+/)(?:[\w.+-]+/)*[\w.+-]*)(?![\w<*{$/])")
# The pattern matches paths of build results.
_BUILT = re.compile(r"build/|.*\.k?o$")


def _folders() -> set[str]:
    """Return the top folders of the project."""
    return {name.partition("/")[0] for name in files() if "/" in name}


@cache
def _places() -> frozenset[str]:
    """Return the project's files and folders, without build results."""
    above = (parent.as_posix() for name in files() for parent in Path(name).parents)
    return files() | frozenset(above)


def _broken(page: Page, target: str) -> str:
    """Return the problem with a link's target, or ""."""
    if re.match(r"\w+:", target):
        return ""
    path, _, anchor = target.partition("#")
    name = os.path.normpath(os.path.join(os.path.dirname(page.name), path))
    if path and name not in _places():
        return f"{name} does not exist"
    if not anchor:
        return ""
    if path and not name.endswith(".md"):
        return f"{name} is not a page"
    aim = Page(name, (ROOT / name).read_text()) if path else page
    return "" if anchor in aim.anchors() else f"{aim.name} has no heading #{anchor}"


def broken_links(page: Page) -> Iterator[str]:
    """Yield the problems with the links of a page."""
    for where, target in page.links():
        if problem := _broken(page, target):
            yield f"{where}: {problem}"


def missing_paths(page: Page) -> Iterator[str]:
    """Yield the paths in the code on a page that do not exist."""
    for where, code in page.code():
        for name in _PATH.findall(code):
            path = name.rstrip(".")
            ours = path.partition("/")[0] in _folders() and not _BUILT.match(path)
            if ours and not (ROOT / path).exists():
                yield f"{where}: {path} does not exist"


def test_page_links_are_valid() -> None:
    expect_none(problem for page in pages() for problem in broken_links(page))


def test_paths_in_code_exist() -> None:
    expect_none(problem for page in pages() for problem in missing_paths(page))


def test_broken_links_are_found() -> None:
    text = "# A b: `c`\n[x](#a-b-c) [x](no.md) [x](../README.md#no)\n[x](#b)\n"
    page = Page("docs/p.md", f"{text}```\n[x](y)\n```\n[x](../Makefile#a)\n")
    assert list(broken_links(page)) == [
        "docs/p.md:2: docs/no.md does not exist",
        "docs/p.md:2: README.md has no heading #no",
        "docs/p.md:3: docs/p.md has no heading #b",
        "docs/p.md:7: Makefile is not a page",
    ]


@pytest.mark.parametrize("text", ['[x](no.md "title")', "[x](<no.md>)", "[x]: no.md"])
def test_all_kinds_of_links_are_read(text: str) -> None:
    assert list(broken_links(Page("p.md", text))) == ["p.md:1: no.md does not exist"]


@pytest.mark.parametrize("target", ["build/x", "../main", "/etc/passwd"])
def test_links_to_build_results_are_broken(target: str) -> None:
    page = Page("p.md", f"[x]({target})")
    assert list(broken_links(page)) == [f"p.md:1: {target} does not exist"]


def test_paths_that_do_not_exist_are_found() -> None:
    text = "`core/no.c` `core/` `a/core/x` `core/<name>.c` `build/x`\n"
    page = Page("docs/p.md", f"{text}```\ncore/x -- core/Kbuild\n```\n")
    assert list(missing_paths(page)) == [
        "docs/p.md:1: core/no.c does not exist",
        "docs/p.md:2: core/x does not exist",
    ]
