# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read pages and pictures of flame graphs."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple, Optional
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


class Page(HTMLParser):
    """A parsed page: its tables, embedded data and external resources."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.loads: list[str] = []
        self.text = ""
        self._table: list[list[str]] = []
        self._in: Optional[str] = None
        self.feed(path.read_text("utf-8"))
        self.data: Any = json.loads(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        """Remember the current element."""
        named = dict(attrs)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href")]
        self._in = "data" if named.get("id") == "data" else tag
        if tag == "table":
            self._table = self.tables[named["id"] or ""] = []
        elif tag == "tr":
            self._table.append([])
        elif tag == "td":
            self._table[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        """Forget the current element."""
        self._in = None

    def handle_data(self, data: str) -> None:
        """Keep the text of table cells and the embedded data."""
        if self._in == "td":
            self._table[-1][-1] += data
        elif self._in == "data":
            self.text += data


class DrawnBox(NamedTuple):
    """A box in a picture."""

    x: float
    width: float
    colour: str


def svg_boxes(root: ElementTree.Element) -> dict[str, DrawnBox]:
    """Return the boxes of a picture, by their titles."""
    boxes = {}
    for group in root.findall(f"{SVG}g[@id='boxes']/{SVG}g"):
        title, rect = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
        assert title is not None and title.text and rect is not None
        place = float(rect.attrib["x"]), float(rect.attrib["width"])
        boxes[title.text] = DrawnBox(*place, rect.attrib["fill"])
    return boxes


def words(root: ElementTree.Element) -> str:
    """Return all text in a picture."""
    return "\n".join(text.text or "" for text in root.iter(f"{SVG}text"))
