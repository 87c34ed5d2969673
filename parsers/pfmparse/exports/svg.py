# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to a flame graph in SVG, which a small script makes interactive."""

from __future__ import annotations

from importlib import resources
from typing import Iterator

from ..symbols.location import Detail
from ..text import amount, markup, printable
from .flame_layout import NARROW, Box, Layout, layout_of
from .flame_sides import sides_of
from .flame_tree import PLAIN, Tree, tree_of
from .interface import Export, Job
from .svg_content import Content, compared, counted
from .titles import title_of_job

# Sizes in pixels. In browsers, flame_svg.js fits the width to the window.
WIDTH, LEFT = 1184, 8
ROW = 18
TOP, BOTTOM, LINE = 58, 27, 19
CHARACTER = 7.3

STYLE = """
:root { --ground: #fff; --ink: #111; --quiet: #444; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181d; --ink: #eceef2; --quiet: #b4bac6; }
}
#ground { fill: var(--ground); }
text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
       fill: #111; pointer-events: none; }
.title { font-size: 17px; font-weight: bold; fill: var(--ink); }
.quiet { fill: var(--quiet); }
#search { pointer-events: all; cursor: pointer; text-decoration: underline; }
#boxes g { cursor: pointer; }
#boxes g:hover rect, #boxes g:focus rect { stroke: #111; stroke-width: 1; }
#boxes g:focus { outline: none; }
#boxes .below { opacity: 0.55; }
#boxes .hit rect { fill: #e68ae0; }
"""


def write(job: Job) -> None:
    """Draws the samples of all inputs."""
    picture = _Picture(job)
    if picture.layout.left_out:
        job.lack(f"frames {NARROW}")
    with job.path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(picture.lines())


class _Picture:
    """A flame graph of the inputs of a job."""

    def __init__(self, job: Job) -> None:
        sides = sides_of(job)
        self._tree: Tree = tree_of(sides.profile)
        make = counted if job.comparison is None else compared
        self._content: Content = make(job, sides, self._tree)
        self._title = title_of_job(job)
        self.layout: Layout = layout_of(self._tree, self._content.widths)
        self._notes = self._left_out() + self._content.notes
        highest = max(box.depth for box in self.layout.boxes)
        self._bottom = BOTTOM + LINE * max(1, len(self._notes))
        self._height = TOP + self._bottom + ROW * (1 + highest)

    def lines(self) -> Iterator[str]:
        """Yields the lines of the document."""
        width = WIDTH + 2 * LEFT
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield (
            '<svg xmlns="http://www.w3.org/2000/svg" width="100%" '
            f'viewBox="0 0 {width} {self._height}" '
            'role="img" aria-labelledby="title">\n'
        )
        yield f'<title id="title">{markup(self._title)}</title>\n'
        yield f"<style>{STYLE}</style>\n"
        yield '<rect id="ground" width="100%" height="100%"/>\n'
        yield from self._above()
        yield '<g id="boxes">\n'
        for box in self.layout.boxes:
            yield self._box(box)
        yield "</g>\n"
        yield from self._below()
        script = (
            resources.files(__package__).joinpath("flame_svg.js").read_text("utf-8")
        )
        yield f"<script><![CDATA[\n{script}]]></script>\n</svg>\n"

    def _above(self) -> Iterator[str]:
        yield _words(LEFT, 22, self._title, "title")
        yield _words(LEFT, 42, self._content.summary, "quiet")
        yield (
            f'<text id="search" class="quiet" x="{LEFT + WIDTH}" y="22" '
            'text-anchor="end" style="display: none">Search (/)</text>\n'
        )
        yield (
            f'<text id="found" class="quiet" x="{LEFT + WIDTH}" y="42" '
            'text-anchor="end"></text>\n'
        )

    def _box(self, box: Box) -> str:
        label = self._tree.labels[self._tree.label_of[box.number]]
        name, where = printable(label.name), printable(label.object)
        x, width = LEFT + box.x * WIDTH, box.width * WIDTH
        y = self._height - self._bottom - ROW * (box.depth + 1)
        place = f" ({where})" if where not in (PLAIN, name) else ""
        place += ", inlined" if label.inlined else ""
        told = [name + place, *self._content.told(box.number).split("\n")]
        return (
            f'<g data-n="{markup(name)}" data-d="{box.depth}" data-x="{box.x:.9g}" '
            f'data-w="{box.width:.9g}"><title>{chr(10).join(map(markup, told))}</title>'
            f'<rect x="{x:.2f}" y="{y}" width="{max(width - 0.5, 0.5):.2f}" '
            f'height="{ROW - 1}" rx="1" fill="{self._content.colour(box.number)}"/>'
            f'<text x="{x + 3:.2f}" y="{y + 13}">{markup(_fitted(name, width))}</text>'
            "</g>\n"
        )

    def _below(self) -> Iterator[str]:
        y = self._height - self._bottom + 18
        x = float(LEFT)
        for colour, name in self._content.legend:
            needed = 22 + CHARACTER * len(name)
            if x + needed > LEFT + WIDTH:
                break
            yield f'<rect x="{x:.1f}" y="{y - 10}" width="11" height="11" '
            yield f'fill="{colour}"/>\n'
            yield _words(x + 15, y, name, "quiet")
            x += needed + 8
        for at, text in enumerate(self._notes, 1):
            yield _words(LEFT, y + LINE * at, text, "quiet")

    def _left_out(self) -> list[str]:
        layout = self.layout
        if not layout.left_out:
            return []
        frames = amount(layout.left_out, "frames", ",")
        return [
            f"left out: {frames} {NARROW}, with {layout.left_out_part:.2%} of the total"
        ]


def _words(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{markup(text)}</text>\n'


def _fitted(name: str, width: float) -> str:
    """Shortens a name to the width of its box."""
    room = int((width - 6) / CHARACTER)
    if room < 3:
        return ""
    return name if len(name) <= room else name[: room - 2] + ".."


EXPORT = Export("svg", "a flame graph, SVG", write, Detail.INLINES)
