# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the two sides of a flame graph, and colour their differences."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import numpy as np
import pytest
from helpers.flames import FUNCTIONS, paths
from helpers.readers import opened
from helpers.stacks_capture import Stack, stack_capture
from helpers.writers import (
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapped,
    mapping,
    session,
)
from pfmparse.exports.flame_sides import (
    COLOURS,
    colour_of,
    difference,
    legend,
    sides_of,
    too_narrow,
)
from pfmparse.exports.flame_tree import tree_of
from pfmparse.exports.interface import NEW, OLD, Comparison, Job


def job(old: Optional[int], *captures: bytes) -> Job:
    """Build a job that compares the first ``old`` captures with the others."""
    made = Job([opened(data) for data in captures], Path("x"))
    made.comparison = None if old is None else Comparison(old)
    return made


def of_path(path: str, samples: int, host: str = "build7") -> bytes:
    """Build a capture with samples of one file."""
    sess = session()
    sess["machine"]["host"] = host
    return capture(
        json_chunk("SESS", sess),
        mapped(mapping(0x1000, 0x2000, 0, path)),
        bufr(buffer([Sample(ip=0x1000)] * samples)),
    )


def test_sides_match_threads_and_base_names_of_files() -> None:
    sides = sides_of(job(1, of_path("/a/x", 1), of_path("/b/x", 2, "build8")))
    tree = tree_of(sides.profile)
    assert {label.object for label in tree.labels} == {"", "x"}
    assert [thread.host for thread in sides.profile.threads] == ["", ""]
    old, new = sides.totals(tree)
    assert old.tolist() == [1, 1, 1] and new.tolist() == [2, 2, 2]


def test_sides_sum_the_captures_of_each_side() -> None:
    captures = [of_path("/x", samples) for samples in (1, 2, 4)]
    sides = sides_of(job(2, *captures))
    tree = tree_of(sides.profile)
    assert [column[0] for column in sides.totals(tree)] == [3, 4]
    assert sides.names == ("old", "new")


def test_flame_graph_without_comparison_has_one_side() -> None:
    one = job(None, of_path("/a/x", 1), of_path("/b/x", 2))
    sides = sides_of(one)
    assert sides.names == ("",) and sides.of_rows.tolist() == [0, 0]
    assert [column[0] for column in sides.totals(tree_of(sides.profile))] == [3]
    assert one.lacks


def test_comparison_does_not_note_missing_columns() -> None:
    one = job(1, of_path("/x", 1), of_path("/x", 1))
    sides_of(one)
    assert not one.lacks


def test_difference_is_of_shares_in_points() -> None:
    assert difference([5, 5], [10, 100]) == -45.0
    assert difference([1, 0], [3, 0]) == -33.33
    assert str(difference([1000001, 1000000], [10**9, 10**9])) == "0.0"


@pytest.mark.parametrize(
    "points,step", [(0.19, 0), (0.2, 1), (0.99, 1), (1.0, 2), (5.0, 3), (100.0, 3)]
)
def test_colour_is_orange_for_more_blue_for_less(points: float, step: int) -> None:
    assert colour_of(points) == COLOURS[3 + step]
    assert colour_of(-points) == COLOURS[3 - step]
    red, _, blue = bytes.fromhex(colour_of(points)[1:])
    assert (red > blue) == (step > 0)
    red, _, blue = bytes.fromhex(colour_of(-points)[1:])
    assert blue > red


def test_legend_names_the_range_of_each_colour() -> None:
    assert legend() == [
        (COLOURS[0], "-5 points and less"),
        (COLOURS[1], "-5 to -1"),
        (COLOURS[2], "-1 to -0.2"),
        (COLOURS[3], "less than 0.2"),
        (COLOURS[4], "+0.2 to +1"),
        (COLOURS[5], "+1 to +5"),
        (COLOURS[6], "+5 points and more"),
    ]


def test_frames_of_the_other_side_are_counted_once() -> None:
    old = stack_capture([Stack(("a", "b"), 30), Stack(("c",), 70)], FUNCTIONS)
    new = stack_capture([Stack(("a",), 1), Stack(("c",), 4)], FUNCTIONS)
    sides = sides_of(job(1, old, new))
    tree = tree_of(sides.profile)
    assert len(paths(tree)) == 6
    totals = sides.totals(tree)
    empty = [totals[OLD], np.zeros(6)]
    found = [
        too_narrow(tree, *one) for one in ((totals, NEW), (totals, OLD), (empty, NEW))
    ]
    assert [count for count, _ in found] == [2, 1, 4]
    assert [part for _, part in found] == pytest.approx([30, 20, 100])
