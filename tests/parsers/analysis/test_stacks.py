# SPDX-License-Identifier: MIT OR GPL-2.0
"""Store call stacks as a tree."""

from __future__ import annotations

import numpy as np
from helpers.readers import opened
from helpers.writers import captured
from hypothesis import given
from hypothesis import strategies as st
from pfmparse import Batch, Chains, Samples
from pfmparse.analysis.stacks import ROOT

ADDRESS = st.integers(1, 5)
CHAINS = st.lists(st.tuples(ADDRESS, st.lists(ADDRESS, max_size=4)), max_size=12)


def batch(stacks: list[tuple[int, list[int]]], chains: bool = True) -> Batch:
    """Build samples with these addresses and callers, innermost first."""
    columns = {"ip": np.array([ip for ip, _ in stacks], np.uint64)}
    offsets = np.cumsum([0, *(len(callers) for _, callers in stacks)])
    flat = np.array([at for _, callers in stacks for at in callers], np.uint64)
    made = Chains(offsets.astype(np.intp), flat) if chains else None
    return Batch(Samples(len(stacks), columns, chains=made), 0)


@given(st.lists(CHAINS, max_size=3))
def test_stack_nodes_have_their_callers_as_parents(
    batches: list[list[tuple[int, list[int]]]]
) -> None:
    source = opened(captured([]))
    ids = [source.stacks.ids(batch(stacks)).tolist() for stacks in batches]
    parents, places = source.stacks.parents(), source.stacks.places()
    addresses = source.places.addresses()
    assert (parents < np.arange(parents.size)).all()
    found = []
    for node in (node for nodes in ids for node in nodes):
        stack = []
        while node != ROOT:
            stack.append(int(addresses[places[node]]))
            node = int(parents[node])
        found.append(stack)
    # A caller's address is one byte before the return address, inside the call.
    expected = [[ip, *(at - 1 for at in up)] for stacks in batches for ip, up in stacks]
    assert found == expected


def test_equal_stacks_share_a_node() -> None:
    source = opened(captured([]))
    ids = source.stacks.ids(batch([(1, [2, 3]), (1, [2, 3]), (1, [3]), (1, [])]))
    assert ids[0] == ids[1] and len(set(ids.tolist())) == 3


def test_stacks_separate_callers_by_file() -> None:
    source = opened(captured([]))
    offsets, files = np.arange(4), np.array([3, 4, 3], np.uint64)
    chains = Chains(offsets, np.full(3, 9, np.uint64), None, files)
    columns = {"ip": np.ones(3, np.uint64)}
    ids = source.stacks.ids(Batch(Samples(3, columns, chains=chains), 0)).tolist()
    assert ids[0] == ids[2] != ids[1]


def test_sample_without_chain_is_a_one_frame_stack() -> None:
    source = opened(captured([]))
    ids = source.stacks.ids(batch([(1, []), (2, []), (1, [])], chains=False))
    assert ids.tolist()[0] == ids.tolist()[2] and len(source.stacks) == 2
    assert (source.stacks.parents() == ROOT).all()
