# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find callers and callees in a profile."""

from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st
from pfmparse.analysis.calls import calls_of
from pfmparse.analysis.profile import Frame, Profile, Row

STACKS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), max_size=12)


def profile(stacks: list[list[int]]) -> Profile:
    """Build a profile of stacks, outermost function first; each stack weighs 10."""
    made = Profile(frames=[Frame(str(at), "x") for at in range(4)])
    nodes: dict[tuple[int, int], int] = {}
    rows: dict[int, Row] = {}
    for stack in stacks:
        node = -1
        for frame in stack:
            known = nodes.get((node, frame))
            if known is None:
                known = nodes[node, frame] = len(made.parents)
                made.parents.append(node)
                made.frame_of.append(frame)
            node = known
        row = rows.setdefault(node, Row(node, 0, 0, 0, 0))
        row.samples += 1
        row.weight += 10
    made.rows = list(rows.values())
    return made


@given(STACKS)
def test_recursion_counts_a_sample_once_per_function(
    stacks: list[list[int]],
) -> None:
    own, inclusive = Counter[int](), Counter[int]()
    callers: dict[int, Counter[int]] = defaultdict(Counter)
    for stack in stacks:
        own[stack[-1]] += 10
        for frame in set(stack):
            inclusive[frame] += 10
        for caller, callee in set(zip(stack, stack[1:])):
            callers[callee][caller] += 10
    found = calls_of(profile(stacks))
    assert (found.own, found.inclusive) == (own, inclusive)
    assert dict(found.callers) == dict(callers)
    for callee, calls in callers.items():
        assert all(found.callees[up][callee] == part for up, part in calls.items())


def test_stack_of_100000_frames_is_walked() -> None:
    deep = [at % 2 for at in range(100_000)]
    found = calls_of(profile([deep]))
    assert found.inclusive == {0: 10, 1: 10}
