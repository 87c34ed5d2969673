# SPDX-License-Identifier: MIT OR GPL-2.0
"""Callers, callees and inclusive weights of the functions in a profile."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Iterator, Sequence

from .profile import Profile
from .stacks import ROOT

Edges = dict[int, Counter[int]]


@dataclass
class Calls:
    """Weights, indexed by the profile's frame numbers.

    ``own`` counts the samples in a frame itself, ``inclusive`` those in the frame or
    its callees; a sample counts once, even if its stack contains the frame several
    times. ``callers[f][g]`` is the part of f's inclusive weight from calls by g;
    ``callees[g][f]`` is the part of g's inclusive weight that was spent in f and its
    callees.
    """

    own: Counter[int] = field(default_factory=Counter)
    inclusive: Counter[int] = field(default_factory=Counter)
    callers: Edges = field(default_factory=lambda: defaultdict(Counter))
    callees: Edges = field(default_factory=lambda: defaultdict(Counter))


def calls_of(profile: Profile) -> Calls:
    """Returns the calls in a profile whose frames are functions (see by_function())."""
    found, below = Calls(), _with_children(profile)
    for row in profile.rows:
        found.own[profile.frame_of[row.node]] += row.weight
    # Occurrences of each frame and of each call on the path from the root to the node
    above: Counter[int] = Counter()
    edges: Counter[tuple[int, int]] = Counter()
    for node, leaves in walk(profile.parents):
        frame, parent = profile.frame_of[node], profile.parents[node]
        edge = None if parent == ROOT else (profile.frame_of[parent], frame)
        if leaves:
            above[frame] -= 1
            if edge:
                edges[edge] -= 1
            continue
        if not above[frame]:
            found.inclusive[frame] += below[node]
        above[frame] += 1
        if edge:
            if not edges[edge]:
                found.callers[frame][edge[0]] += below[node]
                found.callees[edge[0]][frame] += below[node]
            edges[edge] += 1
    return found


def _with_children(profile: Profile) -> list[int]:
    """Returns the weight of each node including all its descendants."""
    weights = [0] * len(profile.parents)
    for row in profile.rows:
        weights[row.node] += row.weight
    # The loop runs backwards because children have larger numbers than parents.
    for node in range(len(weights) - 1, -1, -1):
        if profile.parents[node] != ROOT:
            weights[profile.parents[node]] += weights[node]
    return weights


def walk(parents: Sequence[int]) -> Iterator[tuple[int, bool]]:
    """Walks the tree depth first.

    Yields each node twice: with False before its children, and with True after them.
    """
    children: dict[int, list[int]] = defaultdict(list)
    for node, parent in enumerate(parents):
        children[parent].append(node)
    pending = [(node, False) for node in children[ROOT]]
    while pending:
        node, leaves = pending.pop()
        yield node, leaves
        if not leaves:
            pending.append((node, True))
            pending += [(child, False) for child in children[node]]
