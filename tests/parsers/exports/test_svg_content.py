# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check the widths, colours and texts of SVG graphs of one side and of two sides."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.flames import FUNCTIONS, paths
from helpers.readers import opened
from helpers.stacks_capture import Stack, stack_capture
from pfmparse.exports.flame_layout import OF_JIT, OF_PLAIN
from pfmparse.exports.flame_sides import COLOURS, legend, sides_of
from pfmparse.exports.flame_tree import tree_of
from pfmparse.exports.interface import NEW, OLD, Comparison, Job
from pfmparse.exports.svg_content import compared, counted

BOX = ("all", "program", "a")


def job() -> Job:
    """Build a job of two captures: one of 4 samples, one of 10."""
    stacks = ([Stack(("a",), 3), Stack(("b",))], [Stack(("a",), 5), Stack(("b",), 5)])
    data = [stack_capture(one, FUNCTIONS) for one in stacks]
    return Job(list(map(opened, data)), Path("x"))


def test_counted_content_shows_objects_and_weights() -> None:
    one = job()
    sides = sides_of(one)
    tree = tree_of(sides.profile)
    content, at = counted(one, sides, tree), paths(tree).index(BOX)
    assert content.widths[at] == 8 and content.told(at) == "8 samples, 57.14%"
    assert (content.colour(0), content.colour(at)) == (OF_PLAIN, OF_JIT)
    assert content.summary == "14 samples of event-0"
    assert (content.legend, content.notes) == ([(OF_JIT, "[jit]")], [])


@pytest.mark.parametrize("widths", [OLD, NEW])
def test_compared_content_shows_shares_and_difference(widths: int) -> None:
    one = job()
    one.comparison = Comparison(1, widths)
    sides = sides_of(one)
    tree = tree_of(sides.profile)
    content, at = compared(one, sides, tree), paths(tree).index(BOX)
    assert content.widths[at] == (5 if widths == NEW else 3)
    assert content.told(at).splitlines() == [
        "old 75.00%, 3 samples",
        "new 50.00%, 5 samples",
        "difference -25.00 points",
    ]
    assert (content.colour(0), content.colour(at)) == (COLOURS[3], COLOURS[0])
    assert content.summary.startswith("old 4 samples; new 10 samples of event-0; ")
    assert (content.legend, content.notes) == (legend(), [])
