# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the layers in core/Kbuild and docs/architecture.md with the core's code.

Calls and includes must not go up to a higher layer. Objects show the calls between
files, except those of inline functions. Therefore, a file must not include the headers
of files that it must not call.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

KBUILD = "core/Kbuild"
PAGE = "docs/architecture.md"
# A layer: a comment with its name, followed by its files.
FLOOR = re.compile(r"^# (.+)\n((?:perfmon-y \+= .*\n)+)", re.MULTILINE)
INCLUDE = re.compile(r'^#include "(\w+)\.h"', re.MULTILINE)
OBJECT = re.compile(r"\b(\w+)\.o\b")
ROW = re.compile(r"^\|([^|]*)\| `(\w+)\.c` \|", re.MULTILINE)
# The letters with which nm marks symbols that an object defines for others.
DEFINED = frozenset("TDBRCVW")

Floors = list[tuple[str, list[str]]]


@dataclass
class Object:
    """The symbols that a file defines and the symbols that it needs."""

    gives: set[str] = field(default_factory=set)
    takes: set[str] = field(default_factory=set)


Calls = dict[str, dict[str, list[str]]]
# The headers that each file includes, without the suffix.
Includes = dict[str, list[str]]


def floors_of_kbuild(text: str) -> Floors:
    """Return the layers in core/Kbuild from the top, each with its files in order."""
    return [(name, OBJECT.findall(lines)) for name, lines in FLOOR.findall(text)]


def floors_of_page(text: str) -> Floors:
    """Return the layers in the page's table; a row without a name continues a layer."""
    floors: Floors = []
    for name, file in ROW.findall(text):
        if name.strip():
            floors.append((name.strip(), []))
        if floors:
            floors[-1][1].append(file)
    return floors


def compare(kbuild: Floors, page: Floors, files: set[str]) -> list[str]:
    """Return the differences between the page, Kbuild and the C files in core/."""
    problems = []
    built = {file for _, names in kbuild for file in names}
    named = {file for _, names in page for file in names}
    for file in sorted(files - named):
        problems.append(f"{PAGE}: core/{file}.c is not in the table")
    for file in sorted(named - files):
        problems.append(f"{PAGE}: core/{file}.c does not exist")
    for file in sorted(files - built):
        problems.append(f"{KBUILD}: core/{file}.c is in no layer")
    for file in sorted(built - files):
        problems.append(f"{KBUILD}: core/{file}.c does not exist")
    if not problems and kbuild != page:
        problems.append(f"{PAGE}: the layers differ from those of {KBUILD}")
    return problems


def unnamed_headers(page: str, headers: set[str], files: set[str]) -> list[str]:
    """Return the headers without a code file that are not on the page."""
    return [
        f"{PAGE}: core/{header}.h, which has no code file, is not on the page"
        for header in sorted(headers - files)
        if f"`{header}.h`" not in page
    ]


def parse_nm(text: str) -> Object:
    """Return the symbols in nm's output."""
    found = Object()
    for line in text.splitlines():
        *_, kind, symbol = line.split()
        if kind == "U":
            found.takes.add(symbol)
        elif kind in DEFINED:
            found.gives.add(symbol)
    return found


def run_nm(path: Path) -> str:
    """Return what nm prints for an object."""
    run = subprocess.run(
        ["nm", str(path)], stdout=subprocess.PIPE, text=True, check=True
    )
    return run.stdout


def read_objects(directory: Path, files: list[str]) -> dict[str, Object]:
    """Return the symbols of the built files."""
    return {file: parse_nm(run_nm(directory / f"{file}.o")) for file in files}


def read_includes(core: Path) -> Includes:
    """Return the core's headers that each header and source includes."""
    return {
        path.name: INCLUDE.findall(path.read_text())
        for path in sorted(core.glob("*.[ch]"))
    }


def find_calls(objects: Mapping[str, Object]) -> Calls:
    """Return the files that each file calls, and the symbols that it uses."""
    owner = {name: file for file, obj in objects.items() for name in obj.gives}
    calls: Calls = {file: {} for file in objects}
    for file, obj in objects.items():
        for symbol in sorted(obj.takes & owner.keys()):
            calls[file].setdefault(owner[symbol], []).append(symbol)
    return calls


def find_upward(floors: Floors, calls: Calls) -> list[str]:
    """Return the calls from a lower layer to a higher one."""
    level = {file: n for n, (_, names) in enumerate(floors) for file in names}
    return [
        f"core/{caller}.c ({floors[level[caller]][0]}) calls up into "
        f"core/{callee}.c ({floors[level[callee]][0]}): {', '.join(symbols)}"
        for caller, callees in calls.items()
        for callee, symbols in callees.items()
        if level[callee] < level[caller]
    ]


def find_upward_includes(floors: Floors, includes: Includes) -> list[str]:
    """Return the includes of headers of a higher layer.

    A header without a code file may include headers of the lowest layer only.
    """
    level = {file: n for n, (_, names) in enumerate(floors) for file in names}
    lowest = len(floors) - 1
    problems = []
    for file, headers in includes.items():
        own = level.get(Path(file).stem, lowest)
        for header in headers:
            its = level.get(header, lowest)
            if its < own:
                problems.append(
                    f"core/{file} ({floors[own][0]}) includes {header}.h "
                    f"of a higher layer ({floors[its][0]})"
                )
    return problems


def find_circle(uses: Calls) -> list[str]:
    """Return the files of a cycle in order, or [] if none."""
    done: set[str] = set()

    def search(file: str, path: list[str]) -> list[str]:
        if file in path:
            return path[path.index(file) :]
        if file in done:
            return []
        for used in uses[file]:
            circle = search(used, [*path, file])
            if circle:
                return circle
        done.add(file)
        return []

    for file in uses:
        circle = search(file, [])
        if circle:
            return circle
    return []


def with_includes(calls: Calls, includes: Includes) -> Calls:
    """Return the calls and the includes together: the files that each file uses."""
    uses = {caller: dict(callees) for caller, callees in calls.items()}
    for file, headers in includes.items():
        user = Path(file).stem
        for header in headers:
            if user in uses and header in uses and header != user:
                uses[user].setdefault(header, [])
    return uses


def describe_circle(circle: list[str], uses: Calls) -> str:
    """Return a description of a cycle, step by step."""
    steps = []
    for user, used in zip(circle, [*circle[1:], circle[0]], strict=True):
        if symbols := uses[user][used]:
            steps.append(f"core/{user}.c calls {symbols[0]}() of core/{used}.c")
        else:
            steps.append(f"core/{user}.c includes {used}.h")
    return "cycle: " + ", ".join(steps)


def check_uses(
    floors: Floors, objects: Mapping[str, Object], includes: Includes
) -> list[str]:
    """Return the upward calls and includes, and one cycle if there is any."""
    calls = find_calls(objects)
    problems = find_upward(floors, calls) + find_upward_includes(floors, includes)
    uses = with_includes(calls, includes)
    circle = find_circle(uses)
    if circle:
        problems.append(describe_circle(circle, uses))
    return problems
