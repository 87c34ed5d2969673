# SPDX-License-Identifier: MIT OR GPL-2.0
"""Exports to a self-contained page with a flame graph and a table of functions."""

from __future__ import annotations

import json
from html import escape
from importlib import resources
from typing import Mapping

from .. import __version__
from ..analysis.inputs import Input
from ..analysis.profile import Profiler
from ..formats.roles import Role
from ..symbols.location import Detail
from .flame_layout import LEAST
from .interface import Export, Job
from .page_data import PageData, Values
from .titles import title_of
from .units import unit_of, unit_of_event
from .unsupported import noted

NARROW = f"frames below {LEAST:.1%} of the width"


def write(job: Job) -> None:
    """Writes the page of the samples of all inputs."""
    profiler = Profiler(job.weight)
    for source in job.inputs:
        profiler.add(source, noted(job, source, {Role.THREAD}, losses=True))
    data = PageData(profiler.profile)
    unit = unit_of(job, profiler.profile)
    units = [unit_of_event(job, name) for name in data.events]
    if data.threads_left_out:
        job.lack("IDs of threads beyond the first hundred")
    if data.left_out:
        job.lack(NARROW)
    parts = {
        "TITLE": escape(title_of(job.inputs)),
        "SUMMARY": f"{data.total:,} {escape(unit)}",
        "LEFT_OUT": f"{data.left_out:,} {NARROW} are left out."
        if data.left_out
        else "",
        "FUNCTIONS": _functions(data),
        "CAPTURES": "\n".join(map(_capture, job.inputs)),
        "VERSION": __version__,
        "DATA": json.dumps(data.as_json(unit, units), separators=(",", ":")).replace(
            "<", "\\u003c"
        ),
        "STYLE": _text("flame_page.css"),
        "SCRIPT": _text("flame_page.js"),
    }
    # Bytes in names that are not valid UTF-8 become question marks.
    page = _filled(_text("flame_page.html"), parts)
    job.path.write_bytes(page.encode("utf-8", "replace"))


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with each @NAME@ replaced by the part of that name."""
    pieces = template.split("@")
    return "".join(
        piece if at % 2 == 0 else parts[piece] for at, piece in enumerate(pieces)
    )


def _functions(data: PageData) -> str:
    """The rows of the table of functions, as the page's script makes them."""
    rows = []
    for function in data.functions:
        named = data.tree.labels[function.label]
        numbers = [_sum(function.self), _sum(function.total)]
        rows.append(_row([named.name, named.object], numbers, data.total))
    if data.other_functions:
        name = f"{data.other_functions:,} other functions"
        rows.append(_row([name, ""], [_sum(data.others)], data.total))
    return "\n".join(rows)


def _row(texts: list[str], numbers: list[int], total: int) -> str:
    cells = [f"<td>{escape(text)}</td>" for text in texts]
    for number in numbers:
        part = 100 * number / total if total else 0
        cells.append(f'<td class="number">{number:,}</td>')
        cells.append(f'<td class="number">{part:.2f} %</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _sum(values: Values) -> int:
    return sum(values[1::2])


def _capture(source: Input) -> str:
    """The row of an input in the table of captures."""
    recording = source.recording
    lost = "unknown" if recording.lost is None else f"{recording.lost:,}"
    in_buffers = ", ".join(
        f"{number:,} {reason}"
        for reason, number in recording.lost_in_buffers().items()
        if number
    )
    problems = [problem.message for problem in recording.problems]
    if recording.imprecise:
        problems.append(f"{recording.imprecise:,} imprecise samples")
    texts = (source.file, source.host)
    cells = [f"<td>{escape(text)}</td>" for text in texts]
    cells += [f'<td class="number">{n}</td>' for n in (f"{source.selected:,}", lost)]
    cells += [f"<td>{escape(text)}</td>" for text in (in_buffers, "; ".join(problems))]
    return f"<tr>{''.join(cells)}</tr>"


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


EXPORT = Export("html", "a page with a flame graph", write, Detail.INLINES)
