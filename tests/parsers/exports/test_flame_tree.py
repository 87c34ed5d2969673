# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the tree of flame graph boxes."""

from __future__ import annotations

from helpers.flames import FUNCTIONS, paths, profiled, weights
from helpers.readers import opened
from helpers.stacks_capture import STACKS, Stack, stack_capture
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.analysis.profile import Profiler
from pfmparse.exports.flame_tree import tree_of

ANY_STACKS = st.lists(
    st.builds(
        Stack,
        st.lists(st.sampled_from(FUNCTIONS), min_size=1, max_size=5).map(tuple),
        st.integers(1, 3),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=8,
)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(ANY_STACKS)
def test_flame_boxes_sum_their_descendants(stacks: list[Stack]) -> None:
    profile = profiled(*stacks)
    tree, expected = tree_of(profile), dict[tuple[str, ...], int]()
    apart = len({stack.pmd for stack in stacks}) > 1
    for stack in stacks:
        event = (f"event-{stack.pmd}",) if apart else ()
        path = ("all", *event, "program", *reversed(stack.functions))
        for end in range(1, len(path) + 1):
            expected[path[:end]] = expected.get(path[:end], 0) + stack.samples
    totals = tree.totals(weights(profile)).tolist()
    assert dict(zip(paths(tree), totals)) == expected
    assert len(totals) == len(expected)
    assert tree.depths.tolist() == [len(path) - 1 for path in paths(tree)]


@settings(derandomize=True, deadline=None, max_examples=25)
@given(ANY_STACKS)
def test_recursive_function_is_lowest_once(stacks: list[Stack]) -> None:
    tree = tree_of(profiled(*stacks))
    for lowest, path in zip(tree.lowest_of_label().tolist(), paths(tree)):
        assert lowest == (path[-1] not in path[:-1])


def test_flame_tree_has_functions_of_the_capture() -> None:
    source = opened(stack_capture(STACKS))
    profiler = Profiler()
    profiler.add(source, source.batches())
    names = {path[-1] for path in paths(tree_of(profiler.profile))}
    assert {"hot", "warm", "main", "schedule", "program", "worker"} <= names
