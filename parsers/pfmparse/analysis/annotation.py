# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sum the samples of one function by instruction and by source line."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Iterable, Optional, Sequence

import numpy as np

from ..capture.maps import file_key
from ..errors import PfmParseError, RequestError
from ..symbols.disassembly import disassemble
from ..symbols.elf_file import ElfFile
from ..symbols.location import Line, Location
from ..text import amount
from .inputs import Input
from .interner import Interner
from .sums import Sums
from .weights import Weight

Weights = list[int]  # one for each event

# Limits for one function, because a damaged file may claim any size.
MAX_LINES = 1 << 16
MAX_CODE = 1 << 20  # bytes

QUALIFIERS = re.compile(r"( (const|volatile|noexcept|&&?|\[clone [^]]*\]))+$")
SIMILAR = 3  # maximum number of names that an error suggests


@dataclass(frozen=True)
class Function:
    """A function: its name, where it starts, and a location in it.

    ``start`` is an address according to the ELF file's headers (see Location.offset).
    """

    name: str
    start: int
    place: Location

    @property
    def object(self) -> str:
        """The path of the function's file, or e.g. "[kernel]" (see Location.object)."""
        return self.place.object


@dataclass
class Samples:
    """The weights of a function's samples, by address and event, and their total."""

    function: Function
    weights: dict[int, Weights] = field(default_factory=dict)
    total: int = 0


@dataclass(frozen=True)
class Instruction:
    """An instruction, its source line if that is known, and its weights."""

    address: int
    text: str
    line: Optional[Line]
    weights: Weights


@dataclass(frozen=True)
class SourceLine:
    """A line of a file; ``text`` is None if the file cannot be read."""

    line: Line
    text: Optional[str]
    weights: Weights


@dataclass(frozen=True)
class Annotation:
    """A function with its code and its source, as far as they are available.

    ``lacks`` has messages that say which data is missing, and why.
    """

    function: Function
    events: Sequence[str]
    totals: Weights
    instructions: Sequence[Instruction]
    lines: Sequence[SourceLine]
    lacks: Sequence[str]


class Collector:
    """Collects, from all inputs, the samples of the functions with a given name.

    If no function has exactly this name, names are compared without their parameters.
    """

    def __init__(self, name: str, weight: str) -> None:
        self._name = name
        self._weight = weight
        self._events: dict[str, int] = {}
        self._full: dict[object, Samples] = {}
        self._short: dict[object, Samples] = {}
        self._all: Counter[str] = Counter()  # weights of all functions, by name

    def add(self, source: Input) -> None:
        """Reads an input. Raises PfmParseError if its samples lack a needed column."""
        pairs, sums = Interner(), Sums()
        weight = Weight(self._weight, source.events)
        for batch in source.batches():
            own, events = source.places.own(batch), source.events.ids(batch.samples)
            sums.add(pairs.ids(own, events), weight.of(batch.samples))
        locations = source.places.locations()
        names = [event.name for event in source.events.all]
        places, events = (part.tolist() for part in pairs.pairs())
        totals = sums.result(len(pairs))
        for place, event, total in zip(places, events, totals):
            location = locations[place]
            if not total or location.symbol is None:
                continue
            self._all[location.symbol] += total
            if self._name in (location.symbol, location.mangled):
                self._count(self._full, location, names[event], total)
            elif self._name == without_parameters(location.symbol):
                self._count(self._short, location, names[event], total)

    def samples(self) -> list[Samples]:
        """Returns the functions' samples, by descending weight.

        Raises PfmParseError if there are none.
        """
        found = self._full or self._short
        if not found:
            text = f"no samples in a function '{self._name}'"
            similar = " or ".join(f"'{name}'" for name in self._similar())
            raise RequestError(f"{text}; did you mean {similar}?" if similar else text)
        for samples in found.values():
            for weights in samples.weights.values():
                weights += [0] * (len(self._events) - len(weights))
        return sorted(found.values(), key=lambda samples: -samples.total)

    def events(self) -> list[str]:
        """Returns the events in the order in which Weights lists them."""
        return list(self._events)

    def _similar(self) -> list[str]:
        """Returns names to suggest instead of the wanted one.

        These are the names that contain it, ignoring case, the one with the greatest
        weight first. If no name contains it, they are those that differ least from it.
        """
        wanted = self._name.lower()
        inside = [one for one, _ in self._all.most_common() if wanted in one.lower()]
        return inside[:SIMILAR] or get_close_matches(self._name, self._all, SIMILAR)

    def _count(
        self,
        found: dict[object, Samples],
        location: Location,
        event: str,
        weight: int,
    ) -> None:
        assert location.offset is not None and location.symbol is not None
        start = location.offset if location.start is None else location.start
        # Copies of a file have the same build ID but different paths, so the path is
        # used only if the build ID is unknown.
        file = file_key(location.build_id, location.object, None)
        key = (file, start)
        function = Function(location.symbol, start, location)
        samples = found.setdefault(key, Samples(function))
        number = self._events.setdefault(event, len(self._events))
        weights = samples.weights.setdefault(location.offset, [])
        weights += [0] * (number + 1 - len(weights))
        weights[number] += weight
        samples.total += weight


def without_parameters(name: str) -> str:
    """Removes return type, parameters and qualifiers from a demangled C++ name."""
    name = QUALIFIERS.sub("", name)
    if name.endswith(")"):
        name = name[: _opening(name)]
    depth, end = 0, name.rfind("operator")
    for at in range(len(name) - 1 if end < 0 else end - 1, -1, -1):
        depth += (name[at] in ">)}]") - (name[at] in "<({[")
        if name[at] == " " and depth == 0:
            return name[at + 1 :]
    return name


def _opening(name: str) -> int:
    """Returns the index of the parenthesis that the last character closes."""
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += (name[at] == ")") - (name[at] == "(")
        if depth == 0:
            return at
    return len(name)


class SourceFiles:
    """Reads source files, each only once.

    Looks for a file in ``directories`` first, then at the path that the debug
    information names. If it is in neither place, it is fetched from the servers of
    SymbolOptions.debuginfod.
    """

    def __init__(self, directories: Sequence[str]) -> None:
        self._directories = directories
        self._lines: dict[str, Optional[list[str]]] = {}

    def text(self, line: Line, elf: ElfFile) -> Optional[str]:
        """Returns the text of a source line, or None if it is not available."""
        if line.file not in self._lines:
            self._lines[line.file] = self._read(line.file, elf)
        lines = self._lines[line.file]
        there = lines is not None and 0 < line.number <= len(lines)
        return lines[line.number - 1] if lines and there else None

    def _read(self, path: str, elf: ElfFile) -> Optional[list[str]]:
        under = [os.path.join(d, path.lstrip("/")) for d in self._directories]
        beside = [os.path.join(d, os.path.basename(path)) for d in self._directories]
        for candidate in (*under, *beside, path):
            lines = _lines_in(candidate)
            if lines is not None:
                return lines
        fetched = elf.source(path)
        return None if fetched is None else _lines_in(fetched)


def _lines_in(path: str) -> Optional[list[str]]:
    """Returns the lines of a text file, or None if it cannot be read."""
    try:
        # Debug information may name any file, and reading a device might not end.
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read().splitlines()
    except OSError:
        pass
    return None


def annotate(
    samples: Samples,
    events: Sequence[str],
    elf: Optional[ElfFile],
    sources: SourceFiles,
    assembly: bool,
) -> Annotation:
    """Adds source lines and, if ``assembly`` is set, instructions to the samples."""
    lacks: list[str] = []
    width = len(events)
    totals = _sum(samples.weights.values(), width)
    instructions: list[Instruction] = []
    lines: list[SourceLine] = []
    if elf is None:
        lacks.append(
            f"{samples.function.object} cannot be read: only addresses are shown"
        )
        instructions = _bare(samples)
    else:
        end = _end(elf, samples)
        rows = elf.rows(samples.function.start, end)
        if assembly:
            instructions = _instructions(samples, elf, end, width, lacks)
        if not rows:
            lacks.append(f"{samples.function.object} has no debug information")
        lines = _lines(samples, elf, [row.line for row in rows], sources, width)
        missing = {line.line.file for line in lines if line.text is None}
        lacks += [f"{file} cannot be read" for file in sorted(missing)]
    return Annotation(samples.function, events, totals, instructions, lines, lacks)


def _end(elf: ElfFile, samples: Samples) -> int:
    """Returns the first address after the function.

    If its symbol is unknown, returns the first address after its last sample.
    """
    (symbol,) = elf.functions(np.array([samples.function.start], np.uint64))
    last = max(samples.weights) + 1
    return max(symbol.end, last) if symbol else last


def _bare(samples: Samples) -> list[Instruction]:
    return [Instruction(at, "", None, w) for at, w in sorted(samples.weights.items())]


def _instructions(
    samples: Samples, elf: ElfFile, end: int, width: int, lacks: list[str]
) -> list[Instruction]:
    """Returns the instructions, each with the samples whose addresses are in it."""
    start = samples.function.start
    if end - start > MAX_CODE:
        lacks.append(
            f"the function has {amount(end - start, 'bytes')} of code, too many to "
            "disassemble: only addresses are shown"
        )
        return _bare(samples)
    try:
        found = disassemble(elf.code(start, end), start, elf.machine)
    except PfmParseError as error:
        lacks.append(error.message)
        return _bare(samples)
    if not found:
        lacks.append(f"{samples.function.object} has no code at {start:#x}")
        return _bare(samples)
    starts = [instruction.address for instruction in found]
    weights = [[0] * width for _ in found]
    for address, some in samples.weights.items():
        at = max(0, bisect_right(starts, address) - 1)
        weights[at] = _sum((weights[at], some), width)
    lines = elf.lines(np.array(starts, np.uint64))
    return [
        Instruction(one.address, one.text, line, some)
        for one, line, some in zip(found, lines, weights)
    ]


def _lines(
    samples: Samples,
    elf: ElfFile,
    of_code: Sequence[Optional[Line]],
    sources: SourceFiles,
    width: int,
) -> list[SourceLine]:
    """Returns the source lines of a function.

    These are all lines from the function's first to its last line, and those lines of
    inlined functions whose code is part of the function.
    """
    addresses = sorted(samples.weights)
    sums: dict[Line, Weights] = defaultdict(lambda: [0] * width)
    found = elf.lines(np.array(addresses, np.uint64))
    for address, line in zip(addresses, found):
        if line is not None:
            sums[line] = _sum((sums[line], samples.weights[address]), width)
    known = [line for line in of_code if line is not None and line.number]
    numbers: dict[str, set[int]] = defaultdict(set)
    for line in (*known, *sums):
        numbers[line.file].add(line.number)
    if known:
        # Include the lines without code between the function's first and last line.
        own = known[0].file
        first, last = min(numbers[own]), max(numbers[own])
        if last - first < MAX_LINES:
            numbers[own] = set(range(first, last + 1))
    lines = (Line(file, n) for file in numbers for n in sorted(numbers[file]))
    return [
        SourceLine(line, sources.text(line, elf), sums.get(line, [0] * width))
        for line in lines
    ]


def _sum(weights: Iterable[Weights], width: int) -> Weights:
    total = [0] * width
    for some in weights:
        total = [a + b for a, b in zip(total, some)]
    return total
