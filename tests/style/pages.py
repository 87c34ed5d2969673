# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse the project's Markdown pages for the checks."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"<!-- (.*) -->\n\s*\Z")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
# This matches [text](target), [text](target "title"), and [label]: target.
_LINK = re.compile(r"\[[^]]*\](?:\(|: +)<?([^)>\s]+)")
_CODE = re.compile(r"`([^`\n]+)`")
# Lines that stand for omitted lines in a block.
_DOTS = ("...", "/* ... */")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, and the comment on the line before it."""

    where: str
    mark: str
    language: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page; ``name`` is its path in the project."""

    name: str
    text: str

    def _at(self, text: str, position: int) -> str:
        line = text.count("\n", 0, position) + 1
        return f"{self.name}:{line}"

    def blocks(self) -> Iterator[Block]:
        """Yield the fenced blocks."""
        for match in _FENCE.finditer(self.text):
            mark = _MARK.search(self.text[: match.start()])
            where = self._at(self.text, match.start())
            yield Block(where, mark[1] if mark else "", match[2], match[3])

    def prose(self) -> str:
        """Return the text with blank lines in place of fenced blocks."""
        return _FENCE.sub(lambda match: "\n" * match[0].count("\n"), self.text)

    def anchors(self) -> set[str]:
        """Return the anchors of the headings."""
        found: set[str] = set()
        for heading in _HEADING.findall(self.prose()):
            plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
            slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
            number = 0
            while (anchor := f"{slug}-{number}" if number else slug) in found:
                number += 1
            found.add(anchor)
        return found

    def links(self) -> Iterator[tuple[str, str]]:
        """Yield the location and the target of each link."""
        prose = self.prose()
        for match in _LINK.finditer(prose):
            yield self._at(prose, match.start()), match[1]

    def code(self) -> Iterator[tuple[str, str]]:
        """Yield the location and the text of inline code, and of lines in blocks."""
        prose = self.prose()
        for match in _CODE.finditer(prose):
            yield self._at(prose, match.start()), match[1]
        for block in self.blocks():
            for line in block.text.split("\n"):
                yield block.where, line


@cache
def files() -> frozenset[str]:
    """Return the files that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return frozenset(n for n in listed.stdout.split("\0") if (ROOT / n).is_file())


@cache
def pages() -> tuple[Page, ...]:
    """Return all pages."""
    names = sorted(name for name in files() if name.endswith(".md"))
    return tuple(Page(name, (ROOT / name).read_text()) for name in names)


def _stripped(text: str) -> list[str]:
    return [line.strip() for line in text.strip("\n").split("\n")]


def _parts(lines: list[str]) -> Iterator[list[str]]:
    """Yield the runs of lines between the marks for omitted lines."""
    part: list[str] = []
    for line in lines:
        if line in _DOTS:
            yield part
            part = []
        else:
            part.append(line)
    yield part


def differs(block: str, source: str) -> str:
    """Return the first line of a block that differs from its source, or ""."""
    lines, at = _stripped(source), 0
    for part in _parts(_stripped(block)):
        starts = range(at, len(lines) - len(part) + 1)
        begin = next((n for n in starts if lines[n : n + len(part)] == part), -1)
        if begin < 0:
            return next((line for line in part if line not in lines), part[0])
        at = begin + len(part)
    return ""


def expect_none(problems: Iterable[str]) -> None:
    """Fail with one line for each problem, if there are any."""
    if found := list(problems):
        pytest.fail("\n".join(found), pytrace=False)
