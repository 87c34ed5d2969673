# SPDX-License-Identifier: MIT OR GPL-2.0
"""The floors of the core: what its Kbuild and its page say, and what its objects do."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

KBUILD = "core/Kbuild"
PAGE = "docs/architecture.md"
# A floor: its name in a comment, and below it what belongs there.
FLOOR = re.compile(r"^# (.+)\n((?:perfmon-y \+= .*\n)+)", re.MULTILINE)
OBJECT = re.compile(r"\b(\w+)\.o\b")
ROW = re.compile(r"^\|([^|]*)\| `(\w+)\.c` \|", re.MULTILINE)
# nm's letters for what an object offers to others.
DEFINED = frozenset("TDBRCVW")

Floors = list[tuple[str, list[str]]]


@dataclass
class Object:
    """What a file gives to others, and what it takes from them."""

    gives: set[str] = field(default_factory=set)
    takes: set[str] = field(default_factory=set)


Calls = dict[str, dict[str, list[str]]]


def floors_of_kbuild(text: str) -> Floors:
    """Return the floors, from the top, each with its files in their order."""
    return [(name, OBJECT.findall(lines)) for name, lines in FLOOR.findall(text)]


def floors_of_page(text: str) -> Floors:
    """Return the floors of the page's table; a row without a name goes on."""
    floors: Floors = []
    for name, file in ROW.findall(text):
        if name.strip():
            floors.append((name.strip(), []))
        if floors:
            floors[-1][1].append(file)
    return floors


def compare(kbuild: Floors, page: Floors, files: set[str]) -> list[str]:
    """Say where the page, Kbuild and the folder differ."""
    problems = []
    built = {file for _, names in kbuild for file in names}
    named = {file for _, names in page for file in names}
    for file in sorted(files - named):
        problems.append(f"{PAGE}: core/{file}.c is not in the table")
    for file in sorted(named - files):
        problems.append(f"{PAGE}: there is no core/{file}.c")
    for file in sorted(files - built):
        problems.append(f"{KBUILD}: core/{file}.c is on no floor")
    for file in sorted(built - files):
        problems.append(f"{KBUILD}: there is no core/{file}.c")
    if not problems and kbuild != page:
        problems.append(f"{PAGE}: other floors, or another order, than {KBUILD}")
    return problems


def parse_nm(text: str) -> Object:
    """Return what nm says of an object."""
    found = Object()
    for line in text.splitlines():
        *_, kind, symbol = line.split()
        if kind == "U":
            found.takes.add(symbol)
        elif kind in DEFINED:
            found.gives.add(symbol)
    return found


def read_objects(directory: Path, files: list[str]) -> dict[str, Object]:
    """Return what the built files give and take."""
    return {
        file: parse_nm(
            subprocess.run(
                ["nm", str(directory / f"{file}.o")],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
        )
        for file in files
    }


def find_calls(objects: Mapping[str, Object]) -> Calls:
    """Return which file takes what from which other one."""
    owner = {name: file for file, obj in objects.items() for name in obj.gives}
    calls: Calls = {file: {} for file in objects}
    for file, obj in objects.items():
        for symbol in sorted(obj.takes & owner.keys()):
            calls[file].setdefault(owner[symbol], []).append(symbol)
    return calls


def find_upward(floors: Floors, calls: Calls) -> list[str]:
    """Say which files call one of a floor above theirs."""
    level = {file: n for n, (_, names) in enumerate(floors) for file in names}
    return [
        f"core/{caller}.c ({floors[level[caller]][0]}) calls up into "
        f"core/{callee}.c ({floors[level[callee]][0]}): {', '.join(symbols)}"
        for caller, callees in calls.items()
        for callee, symbols in callees.items()
        if level[callee] < level[caller]
    ]


def find_circle(calls: Calls) -> list[str]:
    """Return the files of one circle, each calling the next one; or nothing."""
    done: set[str] = set()

    def search(file: str, path: list[str]) -> list[str]:
        if file in path:
            return path[path.index(file) :]
        if file in done:
            return []
        for callee in calls[file]:
            circle = search(callee, [*path, file])
            if circle:
                return circle
        done.add(file)
        return []

    for file in calls:
        circle = search(file, [])
        if circle:
            return circle
    return []


def describe_circle(circle: list[str], calls: Calls) -> str:
    """Say how a circle goes round."""
    steps = zip(circle, [*circle[1:], circle[0]], strict=True)
    return "circle: " + ", ".join(
        f"core/{caller}.c calls {calls[caller][callee][0]}() of core/{callee}.c"
        for caller, callee in steps
    )


def check_objects(floors: Floors, objects: Mapping[str, Object]) -> list[str]:
    """Say what goes up, and what goes in a circle."""
    calls = find_calls(objects)
    problems = find_upward(floors, calls)
    circle = find_circle(calls)
    if circle:
        problems.append(describe_circle(circle, calls))
    return problems
