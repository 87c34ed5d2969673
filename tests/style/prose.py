# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find sentences that readers stumble over, in pages, comments and messages.

Each row of prose.allow, "FILE: WORDS", allows a sentence.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = Path(__file__).with_name("prose.allow")
PAGES = (".md", ".1", ".2", ".3", ".7", ".rst")
CODE = (".c", ".h", ".py", ".sh", ".mk")
RULES = {
    "a clause as the subject: name who does what": re.compile(
        r"^(?:What|Who|Whoever|Whose|As if|Of|That|Which|How) (?!.*\?)"
    ),
    "'is no', 'is none': use 'is not'": re.compile(
        r"(?<![Tt]here )(?<!there may )\b(?:is|are|was|were|be) (?:no|none)\b"
        r"(?! (?:more|longer|less|later|fewer|worse|better))"
    ),
    "an indefinite person: name the caller, the thread, the user": re.compile(
        r"\b(?:[Nn]obody|[Aa]nybody|[Ss]omebody|[Ww]hoever)\b(?!-)"
        r"|\b(?:as|by|for|if|of|to) who\b"
    ),
    "'The same' for a description: tell what it is": re.compile(
        r"^The same(?:,| as\b| of\b| with\b|[.;:])"
    ),
    "'but' for 'except'": re.compile(
        r"\bbut (?:for|those)\b|(?<!,) but (?:in|of|that|with)\b", re.IGNORECASE
    ),
    "not used today": re.compile(
        r"\b(?:so often|in vain|of old|comes to be|by then|is told apart|said apart"
        r"|of its own accord|of one's own|goes? on|a matter of|by hand of)\b",
        re.IGNORECASE,
    ),
}
COMMENT = re.compile(r"^\s*(?:/\*+|\*|//|#)\s?(.*?)(?:\*/)?\s*$")
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.){12,})"')
SENTENCE = re.compile(r"(?<=[.:;]) +")


@dataclass(frozen=True)
class Doubt:
    """A sentence that breaks a rule."""

    file: str
    line: int
    rule: str
    sentence: str


def _of_page(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page outside fenced code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith((" ", "\t")):
            yield number, line.strip(" |-*#>")


def _of_code(text: str) -> Iterator[tuple[int, str]]:
    """Yield the comments, docstrings and string literals of a source."""
    for found in DOCSTRING.finditer(text):
        first = text.count("\n", 0, found.start()) + 1
        for number, line in enumerate(found[1].splitlines(), first):
            yield number, line.strip()
    for number, line in enumerate(text.splitlines(), 1):
        if '"""' in line:
            continue
        if comment := COMMENT.match(line):
            yield number, comment[1].strip(" @*")
        else:
            for literal in LITERAL.findall(line):
                yield number, literal


def find(file: str, text: str) -> Iterator[Doubt]:
    """Yield the doubtful sentences of a file."""
    for number, line in (_of_page if file.endswith(PAGES) else _of_code)(text):
        for sentence in SENTENCE.split(line):
            for rule, pattern in RULES.items():
                if pattern.search(sentence):
                    yield Doubt(file, number, rule, sentence)


def tracked() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file that may have prose."""
    names = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True)
    for name in names.splitlines():
        path = ROOT / name
        if path.suffix in PAGES + CODE or path.name in ("Makefile", "Kbuild"):
            if path.is_file():
                yield name, path.read_text(encoding="utf-8")


def is_allowed(doubt: Doubt, rows: list[str]) -> bool:
    """Return whether a row allows the sentence."""
    return any(
        doubt.file == file and words in doubt.sentence
        for file, _, words in (row.partition(": ") for row in rows)
    )
