# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to a self-contained page with a flame graph and a table of functions."""

from __future__ import annotations

import json
from importlib import resources
from typing import Iterator, Mapping, Sequence

from .. import __version__
from ..analysis.inputs import Input
from ..analysis.requests import SIDES
from ..formats.roles import Role
from ..symbols.location import Detail
from ..text import amount, markup
from .flame_layout import NARROW
from .flame_sides import difference, legend, share, sides_of
from .interface import Comparison, Export, Job
from .page_data import PageData
from .titles import title_of_job
from .units import in_unit, unit_of, unit_of_event

# The columns of numbers in the table of functions: title, and name for sorting.
COLUMNS = (("Self", "self"), ("%", ""), ("Total", "total"), ("%", ""))
COLUMNS_OF_SIDES = tuple(
    column
    for title, name in (("Self", "self"), ("Total", "total"))
    for column in (
        *((f"{title}, {side}", f"{name}-{side}") for side in SIDES),
        (f"{title}, difference", name),
    )
)


def write(job: Job) -> None:
    """Writes the page."""
    # Bytes in names that are not valid UTF-8 become question marks.
    job.path.write_bytes(page_of(job).encode("utf-8", "replace"))


def page_of(job: Job) -> str:
    """Returns the page with the samples of all inputs."""
    sides = sides_of(job, {Role.THREAD}, losses=True)
    data = PageData(sides)
    unit = unit_of(job, sides.profile)
    units = [unit_of_event(job, name) for name in data.events]
    if data.threads_left_out:
        job.lack("IDs of threads beyond the first hundred")
    if data.left_out:
        job.lack(f"frames {NARROW}")
    parts = {
        "TITLE": markup(title_of_job(job)),
        "SUMMARY": markup(_summary(data, unit)),
        "SIDES": _choice(job.comparison) if job.comparison else "",
        "LEGEND": _legend() if job.comparison else "",
        "HEADS": _heads(COLUMNS_OF_SIDES if job.comparison else COLUMNS),
        "LEFT_OUT": f"Left out: {amount(data.left_out, 'frames', ',')} {NARROW}."
        if data.left_out
        else "",
        "FUNCTIONS": _functions(data),
        "CAPTURES": "\n".join(map(_capture, job.inputs, _files(job))),
        "VERSION": __version__,
        "DATA": json.dumps(data.as_json(unit, units), separators=(",", ":")).replace(
            "<", "\\u003c"
        ),
        "STYLE": _text("flame_page.css"),
        "SCRIPT": _text("flame_page.js"),
    }
    return _filled(_text("flame_page.html"), parts)


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """Replaces each @NAME@ in the template by the part with that name."""
    pieces = template.split("@")
    return "".join(
        piece if at % 2 == 0 else parts[piece] for at, piece in enumerate(pieces)
    )


def _summary(data: PageData, unit: str) -> str:
    """Returns the weight of each side."""
    parts = zip(data.names, data.totals)
    return "; ".join(f"{name} {in_unit(total, unit)}".lstrip() for name, total in parts)


def _choice(comparison: Comparison) -> str:
    """Returns the menu that chooses the side whose shares are the widths."""
    options = "".join(
        f'<option value="{at}"{" selected" * (at == comparison.widths)}>{side}</option>'
        for at, side in enumerate(SIDES)
    )
    return f'<label>Widths <select id="widths">{options}</select></label>'


def _legend() -> str:
    """Explains the colours of differences."""
    items = "".join(
        f'<li><span style="background: {colour}"></span>{text}</li>'
        for colour, text in legend()
    )
    return (
        '<p class="note">Shares are percentages of each side\'s total of the selected '
        "event and thread, so captures of different length are comparable. Colours "
        "show the difference, new share minus old share, in percentage points:</p>\n"
        f'<ul id="legend" class="note">{items}</ul>\n'
        '<p class="note" id="too-narrow" role="status"></p>'
    )


def _heads(columns: Sequence[tuple[str, str]]) -> str:
    """Returns the heads of the columns of numbers in the table of functions."""
    return "\n".join(
        f'<th scope="col" data-by="{name}"{_sorted(name)} class="number">'
        f'<button type="button">{title}</button></th>'
        if name
        else f'<th scope="col" class="number">{title}</th>'
        for title, name in columns
    )


def _sorted(name: str) -> str:
    return ' aria-sort="descending"' if name == "self" else ""


def _functions(data: PageData) -> str:
    """Returns the rows of the table of functions, as the page's script makes them."""
    rows = []
    for function in data.functions:
        named = data.tree.labels[function.label]
        sums = [data.sums(function.self), data.sums(function.total)]
        rows.append(_row([named.name, named.object], sums, data.totals))
    if data.other_functions:
        name = amount(data.other_functions, "other functions", ",")
        rows.append(_row([name, ""], [data.sums(data.others)], data.totals))
    return "\n".join(rows)


def _row(texts: list[str], sums: list[list[int]], totals: list[int]) -> str:
    cells = [f"<td>{markup(text)}</td>" for text in texts]
    for by_side in sums:
        cells += [f'<td class="number">{n}</td>' for n in _numbers(by_side, totals)]
    return f"<tr>{''.join(cells)}</tr>"


def _numbers(sums: list[int], totals: list[int]) -> Iterator[str]:
    """Yields sum and share of one side, or the shares of two and their difference."""
    if len(sums) == 1:
        yield f"{sums[0]:,}"
    for part in map(share, sums, totals):
        yield f"{part:.2f} %"
    if len(sums) > 1:
        yield f"{difference(sums, totals):+.2f}"


def _files(job: Job) -> Iterator[str]:
    """Yields the names of the inputs, with their sides if there are two."""
    for at, source in enumerate(job.inputs):
        if job.comparison is None:
            yield source.file
        else:
            yield f"{source.file} ({SIDES[at >= job.comparison.old_inputs]})"


def _capture(source: Input, file: str) -> str:
    """Returns the row of an input in the table of captures."""
    recording = source.recording
    lost = "unknown" if recording.lost is None else f"{recording.lost:,}"
    in_buffers = ", ".join(
        f"{number:,} {reason}"
        for reason, number in recording.lost_in_buffers().items()
        if number
    )
    problems = [problem.message for problem in recording.problems]
    if recording.imprecise:
        problems.append(amount(recording.imprecise, "imprecise samples", ","))
    texts = (file, source.host)
    cells = [f"<td>{markup(text)}</td>" for text in texts]
    cells += [f'<td class="number">{n}</td>' for n in (f"{source.selected:,}", lost)]
    cells += [f"<td>{markup(text)}</td>" for text in (in_buffers, "; ".join(problems))]
    return f"<tr>{''.join(cells)}</tr>"


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


EXPORT = Export("html", "a page with a flame graph", write, Detail.INLINES)
