# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write annotated functions to a self-contained HTML page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator, Sequence

from ..analysis.annotation import Annotation
from ..text import ESCAPED, markup
from .writing import replaced

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
:root { color-scheme: light dark; --heat: 220 60 20; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 1.5em; }
h1, caption { overflow-wrap: anywhere; }
table { border-collapse: collapse; font: 13px/1.35 ui-monospace, monospace; }
th, td { padding: 0 .8em; text-align: right; vertical-align: top; }
td:last-child, th:last-child { text-align: left; white-space: pre; }
tr.line td { opacity: .75; font-style: italic; padding-top: .4em; }
td.heat { background: rgb(var(--heat) / var(--part)); }
caption { text-align: left; font: 15px system-ui, sans-serif; padding: .5em 0; }
</style>
</head>
<body>
<h1>%s</h1>
"""


def write_html(found: Sequence[Annotation], shown: str, path: Path) -> None:
    """Writes the complete page. If that fails, raises OSError and writes nothing."""
    with replaced(path) as new, open(new, "w", encoding="utf-8", errors=ESCAPED) as out:
        out.writelines(page(found, shown))


def page(found: Sequence[Annotation], shown: str) -> Iterator[str]:
    """Yields the page in parts; ``shown`` is "source", "asm" or "both"."""
    title = markup(found[0].function.name)
    yield HEAD % (title, title)
    for one in found:
        yield "<table>\n"
        totals = ", ".join(f"{t} {markup(e)}" for t, e in zip(one.totals, one.events))
        yield f"<caption>{markup(one.function.object)}: {totals}</caption>\n"
        heads = "".join(f'<th scope="col">{markup(event)}</th>' for event in one.events)
        yield f'<tr>{heads}<th scope="col">where</th><th scope="col">what</th></tr>\n'
        yield from _lines(one) if shown == "source" else _code(one, shown == "both")
        yield "</table>\n"
        yield from (f"<p>{markup(text)}</p>\n" for text in one.lacks)
    yield "</body>\n</html>\n"


def _lines(one: Annotation) -> Iterator[str]:
    for line in one.lines:
        where = f"{markup(line.line.file)}:{line.line.number}"
        yield _row(one, line.weights, where, line.text or "")


def _code(one: Annotation, with_source: bool) -> Iterator[str]:
    by_line = {line.line: line.text for line in one.lines}
    last = None
    for instruction in one.instructions:
        line = instruction.line
        if with_source and line is not None and line != last and line in by_line:
            last = line
            cells = "<td></td>" * len(one.events)
            where = f"{markup(os.path.basename(line.file))}:{line.number}"
            text = _text(by_line[line] or "")
            yield f'<tr class="line">{cells}<td>{where}</td><td>{text}</td></tr>\n'
        where = f"{instruction.address:x}"
        yield _row(one, instruction.weights, where, instruction.text)


def _row(one: Annotation, weights: Sequence[int], where: str, text: str) -> str:
    cells = "".join(map(_cell, weights, one.totals))
    return f"<tr>{cells}<td>{where}</td><td>{_text(text)}</td></tr>\n"


def _text(text: str) -> str:
    return markup(text.expandtabs(4))


def _cell(weight: int, total: int) -> str:
    if not weight:
        return "<td></td>"
    part = weight / total
    style = f'style="--part: {part:.3f}"'
    return f'<td class="heat" {style} title="{weight}">{100 * part:.2f}%</td>'
