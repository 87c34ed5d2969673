# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that files in a folder do not form cycles, and that rooms use only lower rooms.

The rooms are the folders that README.md lists, highest first. A file uses another file
if it includes that file's header or calls its functions. A unit is a source with its
header: NAME.c and NAME.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from layers import Calls, Object, find_calls, find_circle, parse_nm, run_nm

# The rooms that a folder's README.md lists, highest first; "." is the folder itself.
ROW = re.compile(r"^\| `([\w./]+)` \|", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([\w./]+)\.h"', re.MULTILINE)
# A folder with more files would be hard to search.
WIDEST = 44


def rooms_of(page: str) -> list[str]:
    """Return the rooms that a page lists, highest first."""
    return [room.rstrip("/") for room in ROW.findall(page)]


def units(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the unit and the path of each header and source below a folder."""
    for path in sorted(folder.rglob("*.[ch]")):
        yield str(path.relative_to(folder).with_suffix("")), path


def read_includes(folder: Path) -> dict[str, set[str]]:
    """For each unit of a folder, return the units whose headers it includes."""
    known = {unit for unit, _ in units(folder)}
    found: dict[str, set[str]] = {unit: set() for unit in known}
    for unit, path in units(folder):
        for header in INCLUDE.findall(path.read_text()):
            beside = str(Path(unit).parent / header)
            target = header if header in known else beside
            if target in known and target != unit:
                found[unit].add(target)
    return found


def find_unbuilt(folder: Path, built: Path) -> list[str]:
    """Return the units whose source has no object. Their calls are not checked."""
    return [
        unit
        for unit, path in units(folder)
        if path.suffix == ".c" and not (built / f"{unit}.o").exists()
    ]


def read_uses(folder: Path, built: Path) -> Calls:
    """Return the units that each unit uses, and the functions that it calls there.

    built: the folder of the objects, which has the same folders as the sources.
    """
    objects: dict[str, Object] = {}
    for unit, path in units(folder):
        objects.setdefault(unit, Object())
        object_file = built / f"{unit}.o"
        if path.suffix == ".c" and object_file.exists():
            objects[unit] = parse_nm(run_nm(object_file))
    uses = find_calls(objects)
    for unit, headers in read_includes(folder).items():
        for header in headers:
            uses[unit].setdefault(header, [])
    return uses


def room_of(unit: str, rooms: Sequence[str]) -> str:
    """Return the room of a unit: its innermost folder that is a room, or "" if none.

    The room "." contains only the files that are in no subfolder.
    """
    folder, *above = [str(parent) for parent in Path(unit).parents]
    folders = [folder, *(parent for parent in above if parent != ".")]
    return next((folder for folder in folders if folder in rooms), "")


def find_upward(uses: Calls, rooms: Sequence[str]) -> list[str]:
    """Return the units that are in no room, and those that use a room above theirs."""
    level = {room: number for number, room in enumerate(rooms)}
    problems = [f"{unit} is in no room" for unit in uses if not room_of(unit, rooms)]
    if problems:
        return problems
    return [
        f"{user} uses {used} of a higher room: {', '.join(symbols) or 'its header'}"
        for user, targets in sorted(uses.items())
        for used, symbols in sorted(targets.items())
        if level[room_of(used, rooms)] < level[room_of(user, rooms)]
    ]


def check(folder: Path, built: Path) -> list[str]:
    """Return the problems of a folder and, if its README.md lists rooms, of these."""
    uses = read_uses(folder, built)
    page = folder / "README.md"
    problems = []
    if page.exists():
        rooms = rooms_of(page.read_text())
        problems += [
            f"room {room} does not exist"
            for room in rooms
            if not (folder / room).is_dir()
        ]
        problems += find_upward(uses, rooms)
    circle = find_circle(uses)
    if circle:
        problems.append("cycle: " + " uses ".join([*circle, circle[0]]))
    return [f"{folder.name}: {problem}" for problem in problems]


def too_wide(folder: Path) -> list[str]:
    """Return the folders with too many files."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    count = {
        path: sum(file.is_file() for file in path.iterdir())
        for path in folders
        if path.name != "__pycache__"
    }
    return [
        f"{path}: {files} files in one folder; at most {WIDEST}"
        for path, files in count.items()
        if files > WIDEST
    ]
