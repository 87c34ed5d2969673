# SPDX-License-Identifier: MIT OR GPL-2.0
"""The source and the instructions of one function, with its selected samples."""

from __future__ import annotations

from typing import Optional, Sequence, TypeVar

from ..analysis.annotation import (
    Annotation,
    Collector,
    Instruction,
    Samples,
    SourceFiles,
    SourceLine,
    annotate,
)
from ..analysis.inputs import Input
from ..errors import RequestError
from ..exports.flame_tree import Label
from ..symbols.location import Line

T = TypeVar("T", SourceLine, Instruction)

MOST = 2000  # lines or instructions; beyond that, only those with samples are shown


def code_of(
    inputs: Sequence[Input], function: Label, weight: str, symfs: Sequence[str]
) -> dict[str, object]:
    """Returns the code of a function; raises RequestError if no sample is in it."""
    collector = Collector(function.name, weight)
    for source in inputs:
        collector.add(source)
    samples = _of_object(collector, function)
    files = (source.places.elf(samples.function.place) for source in inputs)
    elf = next((file for file in files if file is not None), None)
    found = annotate(samples, collector.events(), elf, SourceFiles(symfs), True)
    return _as_json(found)


def _of_object(collector: Collector, function: Label) -> Samples:
    """Returns the samples of the function with this name in this object."""
    for samples in collector.samples():
        if samples.function.object == function.object:
            return samples
    raise RequestError(f"no samples in '{function.name}' of {function.object}")


def _as_json(found: Annotation) -> dict[str, object]:
    lacks = list(found.lacks)
    many = [
        what
        for what, rows in (("lines", found.lines), ("instructions", found.instructions))
        if len(rows) > MOST
    ]
    lacks += [f"{what} without samples are left out" for what in many]
    return {
        "name": found.function.name,
        "object": found.function.object,
        "events": list(found.events),
        "totals": found.totals,
        "lines": [_line(one) for one in _some(found.lines)],
        "instructions": [_instruction(one) for one in _some(found.instructions)],
        "lacks": lacks,
    }


def _some(rows: Sequence[T]) -> Sequence[T]:
    return rows if len(rows) <= MOST else [row for row in rows if any(row.weights)]


def _line(one: SourceLine) -> dict[str, object]:
    return {
        "file": one.line.file,
        "line": one.line.number,
        "text": one.text,
        "weights": one.weights,
    }


def _instruction(one: Instruction) -> dict[str, object]:
    return {
        "address": f"{one.address:x}",
        "text": one.text,
        "line": _place(one.line),
        "weights": one.weights,
    }


def _place(line: Optional[Line]) -> str:
    return "" if line is None else f"{line.file}:{line.number}"
