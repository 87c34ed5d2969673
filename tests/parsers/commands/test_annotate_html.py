# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write HTML pages of annotated functions. test_annotate.py uses a real program."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from pfmparse.analysis.annotation import Annotation, Function, Instruction, SourceLine
from pfmparse.commands.annotate_html import page
from pfmparse.symbols.location import Line, Location

NASTY = "<script>&\"'</script>"
LINE = Line(NASTY, 7)
ANNOTATION = Annotation(
    Function(NASTY, 16, Location(NASTY)),
    [NASTY],
    [4],
    [Instruction(16, NASTY, LINE, [3]), Instruction(20, "ret", None, [1])],
    [SourceLine(LINE, NASTY, [3])],
    [NASTY],
)


def test_annotate_page_escapes_markup() -> None:
    for shown in ("both", "asm", "source"):
        text = "".join(page([ANNOTATION], shown))
        assert "<script" not in text
        body = text[text.index("<body>") : text.index("</html>")]
        tree = ElementTree.fromstring(body)
        assert tree.findtext("h1") == NASTY
        cells = [cell.text for cell in tree.iter("td")]
        assert NASTY in cells and "75.00%" in cells


def test_annotate_page_has_no_invisible_characters() -> None:
    line = SourceLine(LINE, "\tx\x1b\u202ey", [3])
    (row,) = (
        part
        for part in page([replace(ANNOTATION, lines=[line])], "source")
        if "<td>" in part
    )
    assert "<td>    x\\x1b\\u202ey</td>" in row
