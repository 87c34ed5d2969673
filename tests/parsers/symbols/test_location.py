# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare locations and their frames."""

from __future__ import annotations

from pfmparse.symbols.location import Detail, Frame, Location


def test_locations_of_one_line_are_equal() -> None:
    one = Location("/x", "f", "f.c:3", (), 0x10, 0x8, "_Z1f")
    assert one == Location("/x", "f", "f.c:3", (), 0x14, 0x8, "_Z1fv")
    assert hash(one) == hash(Location("/x", "f", "f.c:3"))
    assert one != Location("/x", "f", "f.c:4")
    assert one != Location("/x", "f", "f.c:3", (Frame("g"), Frame("f")))


def test_frames_without_inlining_are_the_function() -> None:
    assert Location("/x").frames() == (Frame(None),)
    assert Location("/x", "f").frames() == (Frame("f"),)
    assert Location("/x", "f", "a:b.c:3").frames() == (Frame("f", "a:b.c", 3),)
    inlines = (Frame("g", "g.h", 1), Frame("f", "f.c", 3))
    assert Location("/x", "f", "g.h:1", inlines).frames() == inlines


def test_symbol_details_include_lower_ones() -> None:
    found = [[one.includes(other) for other in Detail] for one in Detail]
    count = len(Detail)
    assert found == [[at <= row for at in range(count)] for row in range(count)]
