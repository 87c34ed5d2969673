# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test that the check of rooms finds uses of higher rooms, and cycles."""

from __future__ import annotations

from pathlib import Path

import rooms

ROOMS = [".", "session", "base"]


def test_rooms_are_read_from_the_page() -> None:
    page = "| room | content |\n|---|---|\n| `.` | main |\n| `session/` | contexts |\n"
    assert rooms.rooms_of(page) == [".", "session"]


def test_headers_are_found_from_the_top_and_beside(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "main.c").write_text('#include "base/text.h"\n#include <stdio.h>\n')
    (tmp_path / "base/text.c").write_text('#include "text.h"\n#include "list.h"\n')
    (tmp_path / "base/text.h").write_text("")
    (tmp_path / "base/list.h").write_text("")
    assert rooms.read_includes(tmp_path) == {
        "main": {"base/text"},
        "base/text": {"base/list"},
        "base/list": set(),
    }


def test_use_of_a_room_above_is_found() -> None:
    uses = {"main": {"base/text": ["put"]}, "base/text": {"session/plan": ["plan"]}}
    uses["session/plan"] = {}
    assert rooms.find_upward(uses, ROOMS) == [
        "base/text uses session/plan of a higher room: plan"
    ]


def test_unit_outside_all_rooms_is_found() -> None:
    assert rooms.find_upward({"odd/x": {}}, ROOMS) == ["odd/x is in no room"]


def test_unit_of_a_folder_in_a_room_belongs_to_it() -> None:
    assert rooms.room_of("session/arch/x86", ROOMS) == "session"


def test_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "b.h"\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n')
    (problem,) = rooms.check(tmp_path, tmp_path)
    assert problem.endswith(": cycle: a uses b uses a")


def test_source_without_object_is_found(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    for name in "a.c", "a.o", "base/b.c", "base/b.h":
        (tmp_path / name).write_text("")
    assert rooms.find_unbuilt(tmp_path, tmp_path) == ["base/b"]


def test_wide_folder_is_found(tmp_path: Path) -> None:
    for number in range(rooms.WIDEST + 1):
        (tmp_path / f"{number}").write_text("")
    (problem,) = rooms.too_wide(tmp_path)
    assert f"{rooms.WIDEST + 1} files" in problem
