# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check the identifiers on pages and the length of the names of tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from pages import ROOT, Page, expect_none, files, pages

# The pattern matches an identifier, or a common prefix that ends with an underscore.
_NAME = re.compile(r"\b(?:PFM_[A-Z0-9_]+|pfm_[a-z0-9_]+)")
# A page that runs pfm-new-format contains identifiers of the templates, with the new
# format's name in place of _TEMPLATE.
_MADE = re.compile(r"\bpfm-new-format (\w+)")
_TEMPLATE = "newfmt"
# CONTRIBUTING.md limits the names of tests to 50 characters.
_LONG_TEST = re.compile(r"\b(?:def test_|TEST\(|KUNIT_CASE\w*\()(\w{51,})")
_SOURCES = (".c", ".h", ".py", ".mk", ".2", ".3", "Kbuild")


@cache
def _names() -> frozenset[str]:
    """Return all identifiers in sources, except for the tests of this folder."""
    texts = (
        (ROOT / name).read_text()
        for name in files()
        if name.endswith(_SOURCES) and not name.startswith("tests/style/")
    )
    return frozenset(name for text in texts for name in _NAME.findall(text))


def unknown_names(page: Page) -> Iterator[str]:
    """Yield a problem for each identifier on the page that occurs in no source."""
    text = page.text
    for made in set(_MADE.findall(text)):
        text = re.sub(rf"(?<=_){made}(?=_|\b)", _TEMPLATE, text)
    for number, line in enumerate(text.split("\n"), 1):
        for name in _NAME.findall(line):
            some = name.endswith("_") and any(n.startswith(name) for n in _names())
            if not some and name not in _names():
                yield f"{page.name}:{number}: no source has the name {name}"


def test_names_in_pages_are_in_sources() -> None:
    expect_none(problem for page in pages() for problem in unknown_names(page))


def test_names_of_generated_format_are_known() -> None:
    text = "pfm_fmt_my_own pfm_my_own_record_t pfm_my_own_no\n"
    assert len(list(unknown_names(Page("p.md", text)))) == 3
    assert list(unknown_names(Page("p.md", f"`pfm-new-format my_own`\n{text}"))) == [
        "p.md:2: no source has the name pfm_newfmt_no"
    ]


def test_unknown_names_are_found() -> None:
    text = "PFM_START PFM_NO_SUCH\n`pfm_overflow()` PFM_FL_* `pfm_no_such()` pfm_zz_*\n"
    assert list(unknown_names(Page("p.md", text))) == [
        "p.md:1: no source has the name PFM_NO_SUCH",
        "p.md:2: no source has the name pfm_no_such",
        "p.md:2: no source has the name pfm_zz_",
    ]


def test_names_of_tests_are_short() -> None:
    assert _LONG_TEST.findall(f"TEST({'a' * 51})\ndef test_{'b' * 50}()") == ["a" * 51]
    expect_none(
        f"{name}: {test} has more than 50 characters"
        for name in files()
        if name.startswith("tests/") and name.endswith((".c", ".py"))
        for test in _LONG_TEST.findall((ROOT / name).read_text())
    )
