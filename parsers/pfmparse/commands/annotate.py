# SPDX-License-Identifier: MIT OR GPL-2.0
"""The annotate command: the samples of a function beside its code and its source."""

from __future__ import annotations

import argparse
import sys
from typing import Optional, Sequence, TextIO

from ..analysis.annotation import (
    Annotation,
    Collector,
    SourceFiles,
    SourceLine,
    annotate,
)
from ..analysis.inputs import Input
from ..symbols.location import Detail, Line
from ..text import json_text, message, printable
from . import summary
from .annotate_html import write_html
from .opening import inputs_of, options_of, recordings_of, status_of, weight_of
from .options import BOTH, SOURCE
from .outcome import BadInput, blaming
from .writing import check_target

WIDTH = 12


def run(arguments: argparse.Namespace) -> int:
    """Prints all functions with the requested name; returns the exit status."""
    if arguments.html and arguments.json:
        raise BadInput("--html cannot be combined with --json")
    with inputs_of(arguments, arguments.file, Detail.SYMBOL) as inputs:
        weight = weight_of(arguments, inputs)
        found = make(inputs, arguments, weight)
        if arguments.html:
            check_target(arguments.html, arguments.file)
            _say_lacks(found)
            with blaming(str(arguments.html)):
                write_html(found, arguments.shown, arguments.html)
        elif arguments.json:
            print_json(found, inputs, weight, sys.stdout)
        else:
            print_text(found, inputs, arguments.shown, sys.stdout)
        return status_of(recordings_of(inputs))


def make(
    inputs: Sequence[Input], arguments: argparse.Namespace, weight: str
) -> list[Annotation]:
    """Returns the functions with the requested name.

    Raises BadInput if there are none.
    """
    collector = Collector(arguments.function, weight)
    for source in inputs:
        with blaming(source.file):
            collector.add(source)
    with blaming(inputs[-1].file):
        all_samples = collector.samples()
    sources = SourceFiles(options_of(arguments).symbols.symfs)
    found = []
    for samples in all_samples:
        files = (source.places.elf(samples.function.place) for source in inputs)
        elf = next((file for file in files if file is not None), None)
        assembly = arguments.shown != SOURCE or bool(arguments.json)
        found.append(annotate(samples, collector.events(), elf, sources, assembly))
    return found


def print_json(
    found: Sequence[Annotation], inputs: Sequence[Input], weight: str, out: TextIO
) -> None:
    """Prints one JSON object, as docs/pfmparse.md describes it."""
    document: dict[str, object] = {
        "weight": weight,
        **summary.of_all([source.recording for source in inputs]),
        "functions": [_as_json(one) for one in found],
    }
    out.write(json_text(document))
    out.write("\n")


def _as_json(one: Annotation) -> dict[str, object]:
    return {
        "symbol": one.function.name,
        "object": one.function.object,
        "start": one.function.start,
        "events": list(one.events),
        "totals": one.totals,
        "instructions": [
            {
                "address": instruction.address,
                "text": instruction.text,
                "line": _line_text(instruction.line),
                "weights": instruction.weights,
            }
            for instruction in one.instructions
        ],
        "lines": [
            {
                "file": line.line.file,
                "line": line.line.number,
                "text": line.text,
                "weights": line.weights,
            }
            for line in one.lines
        ],
        "lacks": list(one.lacks),
    }


def _line_text(line: Optional[Line]) -> Optional[str]:
    return None if line is None else f"{line.file}:{line.number}"


def print_text(
    found: Sequence[Annotation], inputs: Sequence[Input], shown: str, out: TextIO
) -> None:
    """Prints each function, with a column of percentages for each event."""
    _say_lacks(found)
    for one in found:
        function = one.function
        out.write(printable(f"{function.name} ({function.object})") + "\n")
        totals = zip(one.totals, one.events)
        said = ", ".join(f"{total} {name}" for total, name in totals)
        out.write(printable(said) + "\n\n")
        heads = "".join(f"{event[-WIDTH + 1:]:>{WIDTH}}" for event in one.events)
        out.write(printable(heads) + "\n")
        if shown == SOURCE and one.lines:
            _print_source(one, out)
        else:
            _print_code(one, shown == BOTH, out)
        out.write("\n")
    summary.print_all(recordings_of(inputs), out)


def _say_lacks(found: Sequence[Annotation]) -> None:
    for text in dict.fromkeys(text for one in found for text in one.lacks):
        message(text)


def _print_source(one: Annotation, out: TextIO) -> None:
    file = None
    for line in one.lines:
        if line.line.file != file:
            file = line.line.file
            out.write(f"{'':{WIDTH * len(one.events)}}  {printable(file)}\n")
        out.write(_cells(one, line.weights) + f"  {line.line.number:>6}  ")
        out.write(_text(line) + "\n")


def _print_code(one: Annotation, with_source: bool, out: TextIO) -> None:
    """Prints the instructions; each source line precedes its instructions."""
    by_line = {line.line: line for line in one.lines}
    last: Optional[Line] = None
    for instruction in one.instructions:
        line = instruction.line
        if with_source and line is not None and line != last and line in by_line:
            last = line
            place = f"{line.file}:{line.number}"
            indent = " " * (WIDTH * len(one.events))
            out.write(f"{indent}  {printable(place)}  {_text(by_line[line])}\n")
        out.write(_cells(one, instruction.weights) + f"  {instruction.address:>12x}  ")
        out.write(instruction.text + "\n")


def _text(line: SourceLine) -> str:
    return printable((line.text or "").expandtabs(4))


def _cells(one: Annotation, weights: Sequence[int]) -> str:
    return "".join(map(_cell, weights, one.totals))


def _cell(weight: int, total: int) -> str:
    """Formats a weight in percent; empty for 0, so that other weights stand out."""
    text = f"{100 * weight / total:.2f}%" if weight else ""
    return f"{text:>{WIDTH}}"
