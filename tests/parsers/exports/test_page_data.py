# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check the counts in the data of the flame graph page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from helpers.flames import FUNCTIONS, profiled
from helpers.readers import peak_memory
from helpers.stacks_capture import TGID, WORKER, Stack
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.analysis.profile import Frame, Profile, Row, Thread
from pfmparse.exports import page_data
from pfmparse.exports.flame_sides import Sides
from pfmparse.exports.page_data import PageData

ANY_STACKS = st.lists(
    st.builds(
        Stack,
        st.lists(st.sampled_from(FUNCTIONS), min_size=1, max_size=4).map(tuple),
        st.integers(1, 3),
        st.integers(0, 1),
        st.sampled_from([TGID, WORKER]),
    ),
    min_size=1,
    max_size=8,
)


def sums(data: dict[str, Any], values: list[int], event: str) -> int:
    """Return the sum of one event's values."""
    number = data["events"].index(event)
    return sum(
        values[at + 1]
        for at in range(0, len(values), 2)
        if data["series"][values[at]][1] == number
    )


@settings(derandomize=True, deadline=None, max_examples=25)
@given(ANY_STACKS)
def test_page_data_counts_functions_by_event(stacks: list[Stack]) -> None:
    data: Any = PageData(Sides(profiled(*stacks))).as_json("samples", ["samples"])
    for event in data["events"]:
        ours = [stack for stack in stacks if f"event-{stack.pmd}" == event]
        for label, own, whole in data["functions"]:
            name = data["labels"][label][0]
            expected = [s.samples for s in ours if s.functions[0] == name]
            assert sums(data, own, event) == sum(expected)
            expected = [s.samples for s in ours if name in s.functions]
            assert sums(data, whole, event) == sum(expected)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(ANY_STACKS)
def test_page_data_counts_boxes_by_event_and_thread(stacks: list[Stack]) -> None:
    data: Any = PageData(Sides(profiled(*stacks))).as_json("samples", ["samples"])
    of_series: dict[tuple[str, str], int] = {}
    for stack in stacks:
        thread = "program 100" if stack.tid == TGID else "worker 101, process 100"
        key = f"event-{stack.pmd}", thread
        of_series[key] = of_series.get(key, 0) + stack.samples
    values = data["boxes"]["totals"][0]
    found = {}
    for at in range(0, len(values), 2):
        _, event, thread = data["series"][values[at]]
        found[data["events"][event], data["threads"][thread]] = values[at + 1]
    assert found == of_series
    parents = data["boxes"]["parents"]
    assert parents[0] == -1 and all(p < at for at, p in enumerate(parents))


def test_page_data_keeps_boxes_wide_in_one_event() -> None:
    stacks = [Stack(("a",), 5000), Stack(("b",), 2, 1), Stack(("c",), 1)]
    data = PageData(Sides(profiled(*stacks)))
    found: Any = data.as_json("samples", ["samples"])
    names = {found["labels"][at][0] for at in found["boxes"]["labels"]}
    assert {"a", "b"} <= names and "c" not in names
    assert data.left_out == 1
    assert [found["labels"][row[0]][0] for row in found["functions"]] == ["a", "b", "c"]


def test_page_data_sums_omitted_functions_and_threads(monkeypatch: Any) -> None:
    monkeypatch.setattr(page_data, "FUNCTIONS", 1)
    monkeypatch.setattr(page_data, "THREADS", 1)
    stacks = [Stack(("a",), 5), Stack(("b",), 2, tid=WORKER), Stack(("c",), 1)]
    found: Any = PageData(Sides(profiled(*stacks))).as_json("samples", ["samples"])
    assert found["threads"] == ["program 100", "1 other thread"]
    assert len(found["functions"]) == 1
    assert found["others"] == {"count": 2, "self": [0, 1, 1, 2]}


def test_page_data_threads_name_their_host() -> None:
    threads = [Thread("one", 1, 1, "x"), Thread("two", 1, None, "x")]
    rows = [Row(-1, 0, 0, 1, 1), Row(-1, 0, 1, 1, 1)]
    profile = Profile(events=["e"], threads=threads, rows=rows)
    assert PageData(Sides(profile)).threads == ["x 1, one", "x, process 1, two"]


def test_page_data_counts_inlined_for_outer_function() -> None:
    frames = [Frame(name, "/x", inlined=name != "f") for name in "fgh"]
    profile = Profile(
        events=["e"],
        threads=[Thread("one", 1, 1, "x")],
        frames=frames,
        parents=[-1, 0, 1],
        frame_of=[0, 1, 2],
        rows=[Row(2, 0, 0, 5, 5), Row(0, 0, 0, 2, 2)],
    )
    found: Any = PageData(Sides(profile)).as_json("samples", ["samples"])
    assert [found["labels"][row[0]][0] for row in found["functions"]] == ["f"]
    assert found["functions"][0][1:] == [[0, 7], [0, 7]]
    assert {label[0]: label[2] for label in found["labels"]} == {
        "all": 0,
        "x": 0,
        "f": 0,
        "g": 1,
        "h": 1,
    }


def test_page_data_memory_is_independent_of_threads() -> None:
    count = 5000

    def peak(threads: int) -> int:
        profile = Profile(
            events=["e"],
            threads=[Thread("one", 1, at, "x") for at in range(threads)],
            frames=[Frame(f"f{at}", "/x") for at in range(count)],
            parents=[-1] * count,
            frame_of=list(range(count)),
            rows=[Row(at, 0, at % threads, 1, 1) for at in range(count)],
        )
        return peak_memory(lambda: PageData(Sides(profile)))[0]

    peak(1)  # warm up: the first call imports modules
    assert peak(100) < 1.5 * peak(1)


def compared(*stacks: Stack, old: int) -> PageData:
    """Build the data of two sides, where the first ``old`` stacks are the old side."""
    return PageData(Sides(profiled(*stacks), old))


def test_page_data_sums_each_side() -> None:
    data = compared(Stack(("a",), 3), Stack(("b",), 5), Stack(("c", "b"), 2), old=1)
    found: Any = data.as_json("samples", ["samples"])
    assert (found["sides"], data.totals) == (("old", "new"), [3, 7])
    sums = {
        found["labels"][label][0]: (data.sums(own), data.sums(whole))
        for label, own, whole in found["functions"]
    }
    assert sums["a"] == ([3, 0], [3, 0])
    assert sums["b"] == ([0, 5], [0, 7])


def test_page_data_of_sides_has_largest_difference_first() -> None:
    # Percentages, old and new: a 40 and 39, b 60 and 51, c 0 and 10.
    stacks = [Stack(("a",), 400), Stack(("b",), 600)]
    stacks += [Stack(("a", "b"), 39), Stack(("b", "a"), 51), Stack(("c",), 10)]
    data = compared(*stacks, old=2)
    order = [data.tree.labels[row.label].name for row in data.functions]
    assert order == ["c", "b", "a"]


def test_page_data_keeps_boxes_wide_on_the_short_side() -> None:
    stacks = [Stack(("a",), 5000), Stack(("b",), 1), Stack(("c",), 2)]
    found: Any = compared(*stacks, old=2).as_json("samples", ["samples"])
    names = {found["labels"][at][0] for at in found["boxes"]["labels"]}
    assert {"a", "c"} <= names and "b" not in names


@pytest.mark.filterwarnings("error")
def test_page_data_totals_exceed_64_bits() -> None:
    profile = profiled(Stack(("a",)), Stack(("b",)))
    rows = [replace(row, weight=(1 << 64) + 1) for row in profile.rows]
    huge = replace(profile, rows=rows)
    assert PageData(Sides(huge)).totals == [(2 << 64) + 2]
    assert PageData(Sides(huge, 1)).totals == [(1 << 64) + 1] * 2
