# SPDX-License-Identifier: MIT OR GPL-2.0
"""Draw flame graphs of all functions, and around one function."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from helpers.exporting import called
from helpers.flames import FUNCTIONS
from helpers.served import cells_of, every
from helpers.stacks_capture import Stack, stack_capture
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pfmparse.exports.flame_layout import LEAST
from pfmparse.web.cells import Cells
from pfmparse.web.graph import around, whole

STACKS = (
    Stack(("hot", "main"), 6),
    Stack(("leaf", "hot", "main"), 2),
    Stack(("leaf", "hot", "hot", "other"), 3),
)
NAMES = ("hot", "leaf", "main", "other")
ANY_STACKS = st.lists(
    st.builds(
        Stack,
        st.lists(st.sampled_from(FUNCTIONS), min_size=1, max_size=5).map(tuple),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=8,
)


def paths(graph: Any) -> dict[tuple[str, ...], int]:
    """Return the sum of each box, by its path from the lowest box."""
    found: dict[tuple[str, ...], int] = {}
    places: dict[tuple[str, ...], tuple[float, float]] = {}
    for _, depth, x, width, label, total in graph["boxes"]:
        (below,) = [
            path
            for path, (start, size) in places.items()
            if len(path) == depth and start - 1e-6 <= x + width / 2 <= start + size
        ] or [()]
        path = (*below, graph["labels"][label]["name"])
        places[path], found[path] = (x, width), total
    return found


def number_of(cells: Cells, name: str) -> int:
    """Return the number of a function."""
    return [label.name for label in cells.tree.labels].index(name)


def test_whole_graph_has_all_boxes(tmp_path: Path) -> None:
    cells = cells_of(tmp_path, stack_capture(STACKS, NAMES))
    graph: Any = whole(cells, every(cells), 0, None)
    assert paths(graph) == {
        ("all",): 11,
        ("all", "main"): 8,
        ("all", "main", "hot"): 8,
        ("all", "main", "hot", "leaf"): 2,
        ("all", "other"): 3,
        ("all", "other", "hot"): 3,
        ("all", "other", "hot", "hot"): 3,
        ("all", "other", "hot", "hot", "leaf"): 3,
    }
    assert graph["total"] == 11 and graph["found"] is None


def test_zoomed_graph_has_the_boxes_of_one(tmp_path: Path) -> None:
    cells = cells_of(tmp_path, stack_capture(STACKS, NAMES))
    boxes: Any = whole(cells, every(cells), 0, None)["boxes"]
    root = next(box[0] for box in boxes if box[1] == 2 and box[5] == 8)
    graph: Any = whole(cells, every(cells), root, None)
    assert paths(graph) == {
        ("all",): 8,
        ("all", "main"): 8,
        ("all", "main", "hot"): 8,
        ("all", "main", "hot", "leaf"): 2,
    }


def test_found_stacks_count_once(tmp_path: Path) -> None:
    cells = cells_of(tmp_path, stack_capture(STACKS, NAMES))
    graph: Any = whole(cells, every(cells), 0, re.compile("HOT|leaf", re.IGNORECASE))
    assert graph["found"] == 11
    hits = {label["name"] for label in graph["labels"] if label["hit"]}
    assert hits == {"hot", "leaf"}
    graph = whole(cells, every(cells), 0, re.compile("leaf"))
    assert graph["found"] == 5
    assert whole(cells, every(cells), 0, re.compile("^all"))["found"] == 0


def test_narrow_boxes_are_left_out_until_zoomed(tmp_path: Path) -> None:
    many = round(2 / LEAST)
    stacks = [Stack(("hot", "main"), many), Stack(("leaf", "other"))]
    cells = cells_of(tmp_path, stack_capture(stacks, NAMES))
    graph: Any = whole(cells, every(cells), 0, None)
    assert graph["left_out"] == 2 and len(graph["boxes"]) == 3
    (root,) = [
        at
        for at, label in enumerate(cells.tree.label_of)
        if cells.tree.labels[label].name == "other"
    ]
    graph = whole(cells, every(cells), root, None)
    assert ("all", "other", "leaf") in paths(graph)


def test_callers_and_callees_surround_a_function(tmp_path: Path) -> None:
    cells = cells_of(tmp_path, stack_capture(STACKS, NAMES))
    graphs: Any = around(cells, every(cells), number_of(cells, "hot"), None)
    assert graphs["selected"] == 11
    assert paths(graphs["callers"]) == {
        ("hot",): 11,
        ("hot", "main"): 8,
        ("hot", "other"): 3,
    }
    # If the function calls itself, it is among its own callees.
    assert paths(graphs["callees"]) == {
        ("hot",): 11,
        ("hot", "leaf"): 2,
        ("hot", "hot"): 3,
        ("hot", "hot", "leaf"): 3,
    }


@settings(
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(ANY_STACKS)
def test_around_sums_outermost_calls(tmp_path: Path, stacks: list[Stack]) -> None:
    cells = cells_of(tmp_path, stack_capture(stacks, FUNCTIONS))
    name = stacks[0].functions[0]
    callers, callees = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for stack in stacks:
        outer = stack.functions[::-1]
        if name in outer:
            at = outer.index(name)
            callers.update(
                {outer[end : at + 1][::-1]: stack.samples for end in range(at + 1)}
            )
            callees.update(
                {outer[at:end]: stack.samples for end in range(at + 1, len(outer) + 1)}
            )
    graphs: Any = around(cells, every(cells), number_of(cells, name), None)
    assert paths(graphs["callers"]) == callers
    assert paths(graphs["callees"]) == callees


def test_around_agrees_with_call_reports(tmp_path: Path) -> None:
    cells = cells_of(tmp_path)
    graphs: Any = around(cells, every(cells), number_of(cells, "warm"), None)
    _, out, _ = called("report", "--callers", "--json", str(tmp_path / "0.pfm"))
    assert '"inclusive": 4' in out
    assert graphs["callers"]["total"] == graphs["callees"]["total"] == 4
