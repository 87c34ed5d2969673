# SPDX-License-Identifier: MIT OR GPL-2.0
"""The tables that say what the specification demands, and the tests that prove it.

A table with "proof" as its last column has a row for each demand, with an id in the
first column. A comment before a test says what the test proves:

    /* Proves 3.1.2-07, 3.1.2-08 */
    # Proves H17

A list that is too long for a line goes on in the next one, after a comma.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ID = re.compile(r"(?:P?\d+(?:\.\d+)*-\d{2,3}|H\d{2})")
# What a proof may say where no test has a tag: one of these, and a reason.
EXEMPT = re.compile(r"(not done|not attainable|out of scope): *(.*)")

_CASE = re.compile(r"\bKUNIT_CASE(?:_\w+)?\((\w+)")
# Comments, definitions, and the end of whatever is no test.
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
_MARGIN = re.compile(r"^\s*(?:/?\*+/?|#)?\s*|\s*(?:\*/)?\s*$")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Tag:
    """A test that proves a demand; its path is below tests/."""

    id: str
    path: str
    line: int
    test: str


@dataclass(frozen=True)
class Row:
    """A demand, as a line of a page has it."""

    id: str
    path: str
    line: int
    demand: str
    proof: str

    @property
    def exemption(self) -> str:
        """Return "not done", "not attainable", "out of scope" or nothing."""
        match = EXEMPT.match(self.proof)
        return match[1] if match else ""


@dataclass
class Found:
    """What was read, and what is wrong with it: "FILE:LINE: what"."""

    tags: list[Tag] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def _line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _ids(comment: str, line: int) -> Iterator[tuple[int, str]]:
    """Yield line and text of each entry of a comment's lists of ids."""
    goes_on = False
    for number, raw in enumerate(comment.split("\n"), line):
        text = _MARGIN.sub("", raw)
        if not goes_on and not text.startswith("Proves "):
            continue
        goes_on = text.endswith(",")
        for entry in text.removeprefix("Proves ").rstrip(",").split(","):
            yield number, entry.strip()


def read_tags(name: str, text: str, found: Found) -> None:
    """Add the tags of a test's source, whose path below tests/ is name."""
    where = f"tests/{name}"
    cases = set(_CASE.findall(text))
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


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL.split(line.strip())[1:-1]]


def _table_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of each row of the tables whose last column is proof."""
    within = wanted = False
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("|"):
            within = False
            continue
        cells = _cells(line)
        if not within:
            within, wanted = True, cells[-1:] == ["proof"]
        elif wanted and set("".join(cells)) - set(":-"):
            yield number, cells


def read_rows(name: str, text: str, found: Found) -> None:
    """Add the rows of a page."""
    for number, cells in _table_lines(text):
        if len(cells) < 3:
            problem = f"{name}:{number}: a row has an id, a demand and a proof"
            found.problems.append(problem)
        elif not ID.fullmatch(cells[0]):
            found.problems.append(f"{name}:{number}: '{cells[0]}' is not an id")
        else:
            row = Row(cells[0], name, number, cells[1], cells[-1])
            found.rows.append(row)


def proof_of(tags: Iterable[Tag]) -> str:
    """Return what the proof of a row with these tags is."""
    tests: dict[str, set[str]] = {}
    for tag in tags:
        tests.setdefault(tag.path, set()).add(tag.test)
    return "; ".join(
        f"{path}: {', '.join(sorted(tests[path]))}" for path in sorted(tests)
    )


def proofs(tags: Iterable[Tag]) -> dict[str, str]:
    """Return the proof of each id that has tags."""
    by_id: dict[str, list[Tag]] = {}
    for tag in tags:
        by_id.setdefault(tag.id, []).append(tag)
    return {id_: proof_of(some) for id_, some in by_id.items()}


def check(found: Found) -> list[str]:
    """Return what is wrong with what was read."""
    problems = list(found.problems)
    proved = proofs(found.tags)
    seen: dict[str, Row] = {}
    for row in found.rows:
        where = f"{row.path}:{row.line}: {row.id}"
        first = seen.setdefault(row.id, row)
        exempt = EXEMPT.match(row.proof)
        if first is not row:
            problems.append(f"{where} is in {first.path}:{first.line} already")
        elif exempt and row.id in proved:
            problems.append(f"{where} is '{exempt[1]}', but {proved[row.id]} proves it")
        elif exempt and not exempt[2]:
            problems.append(f"{where} is '{exempt[1]}', and does not say why")
        elif not exempt and row.id not in proved:
            problems.append(f"{where} has neither a test nor a reason why not")
        elif not exempt and row.proof != proved[row.id]:
            problems.append(f"{where}: other tests prove it; run 'make conformance'")
    problems += [
        f"tests/{tag.path}:{tag.line}: no page has a row {tag.id}"
        for tag in found.tags
        if tag.id not in seen
    ]
    return problems


def with_proofs(text: str, tags: Iterable[Tag]) -> str:
    """Return a page with the proofs that these tags are; reasons stay."""
    proved = proofs(tags)
    lines = text.split("\n")
    for number, cells in _table_lines(text):
        line = lines[number - 1].rstrip()
        if len(cells) < 3 or not ID.fullmatch(cells[0]) or EXEMPT.match(cells[-1]):
            continue
        before = line[: [match.start() for match in _CELL.finditer(line)][-2]]
        proof = proved.get(cells[0], "")
        lines[number - 1] = f"{before}| {proof} |" if proof else f"{before}| |"
    return "\n".join(lines)


_BEGIN = "<!-- differences: written by make conformance -->"
_END = "<!-- end of the differences -->"
_DIFFERENCES = re.compile(f"(?<={re.escape(_BEGIN)}\n).*?(?={re.escape(_END)})", re.S)


def with_differences(text: str, rows: Iterable[Row]) -> str:
    """Return a page whose list of differences is that of these rows."""
    lines = ["| id | demand | |", "|---|---|---|"]
    lines += [
        f"| {row.id} | {row.demand} | {row.proof} |" for row in rows if row.exemption
    ]
    table = "\n".join(lines) + "\n"
    return _DIFFERENCES.sub(lambda _: table, text)


def read(root: Path, pages: Iterable[str]) -> Found:
    """Read all tests and these pages, as far as they exist."""
    found = Found()
    tests = root / "tests"
    for path in sorted({*tests.rglob("*.c"), *tests.rglob("test_*.py")}):
        read_tags(path.relative_to(tests).as_posix(), path.read_text(), found)
    for page in pages:
        if (root / page).is_file():
            read_rows(page, (root / page).read_text(), found)
    return found
