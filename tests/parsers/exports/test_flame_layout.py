# SPDX-License-Identifier: MIT OR GPL-2.0
"""Lay out and colour the boxes of flame graphs."""

from __future__ import annotations

import numpy as np
from helpers.flames import paths, profiled, weights
from helpers.stacks_capture import Stack
from pfmparse.analysis.profile import Profile
from pfmparse.exports.flame_layout import colours_of, is_kernel, layout_of
from pfmparse.exports.flame_tree import tree_of


def test_flame_boxes_are_sorted_by_name() -> None:
    profile = profiled(
        Stack(("c", "a"), 5), Stack(("b", "a"), 3), Stack(("a",), 1), Stack(("b",), 1)
    )
    tree = tree_of(profile)
    layout = layout_of(tree, tree.totals(weights(profile)))
    found = {
        paths(tree)[box.number][2:]: (round(box.x, 9), round(box.width, 9))
        for box in layout.boxes
    }
    assert found == {
        (): (0.0, 1.0),
        ("a",): (0.0, 0.9),
        ("b",): (0.9, 0.1),
        ("a", "b"): (0.0, 0.3),
        ("a", "c"): (0.3, 0.5),
    }
    assert (layout.left_out, layout.left_out_part) == (0, 0.0)


def test_narrow_flame_boxes_are_omitted_and_counted() -> None:
    profile = profiled(Stack(("a",), 1000), Stack(("c", "b"), 1), Stack(("b", "a"), 2))
    tree = tree_of(profile)
    layout = layout_of(tree, tree.totals(weights(profile)))
    shown = {paths(tree)[box.number][2:] for box in layout.boxes}
    assert shown == {(), ("a",), ("a", "b")}
    assert layout.left_out == 2 and round(layout.left_out_part * 1003) == 1


def test_flame_graph_without_samples_is_one_box() -> None:
    tree = tree_of(Profile())
    layout = layout_of(tree, tree.totals(np.zeros(0)))
    assert len(layout.boxes) == 1 and layout.left_out == 0


def test_kernel_and_modules_are_coloured_as_kernel() -> None:
    names = ["[kernel]", "[mod]", "[vdso]", "[anon]", "[stack]", "[jit]", "/bin/x"]
    assert [name for name in names if is_kernel(name)] == ["[kernel]", "[mod]"]
    colours = colours_of(
        ["/bin/x", "[kernel]", "/lib/y", "[mod]", "[unknown]", "[jit]"]
    )
    assert len(set(colours.values())) == 6
