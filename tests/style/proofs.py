# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read which tests cover which requirements. A comment before a test names them:

    /* Proves 3.1.2-07, 3.1.2-08 */
    # Proves H17

A list that is too long for one line ends with a comma and continues on the next line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ID = re.compile(r"(?:P?\d+(?:\.\d+)*-\d{2,3}|H\d{2})")

# The files that are searched for tags. A tag in a header is an error, because a header
# has no tests.
_KINDS = ("*.c", "*.h", "test_*.py", "conftest.py")

CASE = re.compile(r"\bKUNIT_CASE(?:_\w+)?\((\w+)")
# The pattern matches comments, tests, and definitions that are not tests.
_C = re.compile(
    r"(?P<comment>/\*.*?\*/)"
    r"|^TEST\((?P<test>\w+)\)"
    r"|^static void (?P<case>\w+)\("
    r"|^(?P<other>\})",
    re.DOTALL | re.MULTILINE,
)
_PYTHON = re.compile(
    r"^(?P<comment>[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*)"
    r"|^[ \t]*(?:async )?def (?P<test>test_\w+)"
    r"|^[ \t]*(?:(?:async )?def|class) (?P<other>\w+)",
    re.MULTILINE,
)
# The pattern matches a tag anywhere in a line. A tag that does not begin its line is an
# error.
_HIDDEN = re.compile(rf"\bProves {ID.pattern}")
_MARGIN = re.compile(r"^\s*(?:/?\*+/?|#)?\s*|\s*(?:\*/)?\s*$")


@dataclass(frozen=True)
class Tag:
    """A test that covers a requirement. The path is relative to tests/."""

    id: str
    path: str
    line: int
    test: str


@dataclass
class Tags:
    """The tags that were read, and problems with invalid ones as "FILE:LINE: what"."""

    tags: list[Tag] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def tests(self) -> dict[str, list[str]]:
        """Return the tests that cover each ID, as "FILE: TEST"."""
        proofs: dict[str, set[str]] = {}
        for tag in self.tags:
            proofs.setdefault(tag.id, set()).add(f"{tag.path}: {tag.test}")
        return {id_: sorted(proofs[id_]) for id_ in sorted(proofs)}


def _line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _ids(comment: str, line: int) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each entry in a comment's lists of IDs.

    A line with words before the list is yielded as a whole, and so reported as an
    invalid ID.
    """
    goes_on = False
    for number, raw in enumerate(comment.split("\n"), line):
        text = _MARGIN.sub("", raw)
        if not goes_on and not text.startswith("Proves "):
            if _HIDDEN.search(text):
                yield number, text
            continue
        goes_on = text.endswith(",")
        for entry in text.removeprefix("Proves ").rstrip(",").split(","):
            yield number, entry.strip()


def read_tags(name: str, text: str, found: Tags) -> None:
    """Add the tags of a test's source; `name` is its path below tests/."""
    where = f"tests/{name}"
    cases = set(CASE.findall(text))
    waiting: list[tuple[int, str]] = []
    for match in (_PYTHON if name.endswith(".py") else _C).finditer(text):
        parts = match.groupdict()
        test = parts["test"]
        if parts.get("case") in cases:
            test = parts["case"]
        if parts["comment"]:
            for line, entry in _ids(match[0], _line_of(text, match.start())):
                if ID.fullmatch(entry):
                    waiting.append((line, entry))
                else:
                    found.problems.append(f"{where}:{line}: '{entry}' is not an id")
            continue
        for line, entry in waiting:
            if test:
                found.tags.append(Tag(entry, name, line, test))
            else:
                problem = f"{where}:{line}: no test follows the tag {entry}"
                found.problems.append(problem)
        waiting = []
    for line, entry in waiting:
        found.problems.append(f"{where}:{line}: no test follows the tag {entry}")


def read(tests: Path) -> Tags:
    """Return the tags of all tests below a directory."""
    found = Tags()
    for path in sorted(path for kind in _KINDS for path in tests.rglob(kind)):
        read_tags(path.relative_to(tests).as_posix(), path.read_text(), found)
    return found
