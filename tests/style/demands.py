# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the demands, and generate a page and a list of proofs from them.

demands.toml has the demands of the specification by section. If no test proves a
demand, the table of its kind gives a reason. The hazards of the security page are also
demands. A hazard is a list item that begins with an ID.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from textwrap import wrap

from proofs import ID, Tag

# Kinds of demands that no test proves.
KINDS = ("not attainable", "out of scope", "not done")
# Kinds of demands that need a PMU description with its own registers, or one
# architecture.
ELSEWHERE = ("not on perf_events", "only on arm64")
# The tables in the order of the page.
TABLES = ("not attainable", *ELSEWHERE, "out of scope", "not done")

# The tests that prove each ID.
Proofs = Mapping[str, list[str]]

_KEY = re.compile(r'"([^"]+)" *=')
_HAZARD = re.compile(r"^- \*\*(H\w*)\*\*", re.MULTILINE)
_PROOFS_HEAD = """\
# SPDX-License-Identifier: MIT OR GPL-2.0
#
# The tests that prove each demand. Written by make conformance, from their tags.

"""


@dataclass(frozen=True)
class Demand:
    """A demand: its text, its place ("FILE:LINE"), and why no test proves it."""

    id: str
    where: str
    section: str
    text: str
    kind: str = ""
    reason: str = ""


@dataclass
class Demands:
    """The demands that were read, and problems with them as "FILE:LINE: what"."""

    chapters: dict[str, str] = field(default_factory=dict)
    demands: list[Demand] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def _lines(text: str) -> dict[str, list[int]]:
    """Return the line numbers of each key that is an ID, or should be one."""
    lines: dict[str, list[int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if match := _KEY.match(line):
            lines.setdefault(match[1], []).append(number)
    return lines


def read_demands(name: str, text: str, found: Demands) -> None:
    """Add the demands in a text that has the format of demands.toml."""
    data = tomllib.loads(text)
    lines = _lines(text)
    found.chapters.update(data.get("chapters", {}))
    reasons: dict[str, tuple[str, str]] = {}
    for kind in TABLES:
        for id_, reason in data.get(kind, {}).items():
            if id_ in reasons:
                where = f"{name}:{lines[id_][1]}: {id_}"
                found.problems.append(f"{where} already has a reason")
            reasons[id_] = (kind, reason)
    known = set()
    for section, rows in data["demands"].items():
        for id_, demand in rows.items():
            known.add(id_)
            where = f"{name}:{lines[id_][-1]}"
            why = reasons.get(id_, ("", ""))
            found.demands.append(Demand(id_, where, section, demand, *why))
    for id_ in reasons:
        if id_ not in known:
            where = f"{name}:{lines[id_][0]}: {id_}"
            found.problems.append(f"{where} has a reason but is not a demand")


def read_hazards(name: str, text: str, found: Demands) -> None:
    """Add the hazards of a page."""
    for match in _HAZARD.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        found.demands.append(Demand(match[1], f"{name}:{line}", "Hazards", ""))


def check(found: Demands, tags: Iterable[Tag], proofs: Proofs) -> list[str]:
    """Return the problems with the demands and with the tags of the tests."""
    problems = list(found.problems)
    seen: dict[str, Demand] = {}
    for demand in found.demands:
        where = f"{demand.where}: {demand.id}"
        first = seen.setdefault(demand.id, demand)
        tests = "; ".join(proofs.get(demand.id, []))
        if not ID.fullmatch(demand.id):
            problems.append(f"{demand.where}: '{demand.id}' is not an id")
        elif first is not demand:
            problems.append(f"{where} is already in {first.where}")
        elif demand.kind in KINDS and tests:
            problems.append(f"{where} is '{demand.kind}', but {tests} proves it")
        elif demand.kind and not demand.reason:
            problems.append(f"{where} is '{demand.kind}' without a reason")
        elif demand.kind not in KINDS and not tests:
            problems.append(f"{where} has neither a test nor a reason")
        elif demand.text and not any(_is_in(demand, c) for c in found.chapters):
            problems.append(f"{where} belongs to no chapter")
    problems += [
        f"tests/{tag.path}:{tag.line}: demand {tag.id} does not exist"
        for tag in tags
        if tag.id not in seen
    ]
    return problems


def proofs_file(proofs: Proofs) -> str:
    """Return the generated list of proofs, one test per line."""
    parts = [_PROOFS_HEAD]
    for id_, tests in proofs.items():
        parts.append(f'"{id_}" = [\n' + "".join(f'  "{t}",\n' for t in tests) + "]\n")
    return "".join(parts)


def _is_in(demand: Demand, chapter: str) -> bool:
    """Tell whether the section of a demand's ID belongs to a chapter."""
    section = demand.id.rpartition("-")[0]
    return section == chapter or section.startswith(f"{chapter}.")


def counts_table(found: Demands) -> str:
    """Return a table of the number of demands by chapter, and of those not proved."""
    lines = ["| section | demands | differ |", "|---|--:|--:|"]
    chapters = [
        (f"{chapter} {title}", [d for d in found.demands if _is_in(d, chapter)])
        for chapter, title in found.chapters.items()
    ]
    for title, rows in [*chapters, ("all", found.demands)]:
        differ = sum(bool(row.kind) for row in rows)
        lines.append(f"| {title} | {len(rows)} | {differ} |")
    return "\n".join(lines) + "\n"


def differences(found: Demands) -> str:
    """Return the demands that differ, as a list for each kind."""
    lines = []
    for kind in TABLES:
        lines += [f"### {kind.capitalize()}", ""]
        for demand in found.demands:
            if demand.kind == kind:
                text = f"- **{demand.id}** *{demand.text}* {demand.reason}"
                lines += wrap(text, 88, subsequent_indent="  ", break_long_words=False)
        lines.append("")
    return "\n".join(lines)


def with_part(text: str, part: str, content: str) -> str:
    """Return a page with new content between the marks of a part."""
    begin, end = (f"<!-- {word} {part} -->" for word in ("begin", "end"))
    marked = re.compile(f"(?<={re.escape(begin)}\n).*?(?={re.escape(end)})", re.S)
    return marked.sub(lambda _: content, text)
