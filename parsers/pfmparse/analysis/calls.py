# SPDX-License-Identifier: MIT OR GPL-2.0
"""Who calls whom in a profile, and what functions cost with what they call."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Iterator, Sequence

from .profile import Profile
from .stacks import ROOT

Edges = dict[int, Counter[int]]


@dataclass
class Calls:
    """Weights by frame, a number of the profile's.

    ``own`` is what was sampled in a frame itself, ``inclusive`` in it or in what it
    called, once for each sample even if it is in the stack several times.
    ``callers[f][g]`` is the part of f's that was called by g, ``callees[g][f]`` the
    part of g's that was in f, or called from it.
    """

    own: Counter[int] = field(default_factory=Counter)
    inclusive: Counter[int] = field(default_factory=Counter)
    callers: Edges = field(default_factory=lambda: defaultdict(Counter))
    callees: Edges = field(default_factory=lambda: defaultdict(Counter))


def calls_of(profile: Profile) -> Calls:
    """The calls in a profile; its frames must be functions, not places."""
    found, below = Calls(), _with_children(profile)
    for row in profile.rows:
        found.own[profile.frame_of[row.node]] += row.weight
    above: Counter[int] = Counter()  # frames of the stack that is walked
    edges: Counter[tuple[int, int]] = Counter()
    for node, leaves in _walk(profile.parents):
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
    """The weight of each stack and of all that begin like it."""
    weights = [0] * len(profile.parents)
    for row in profile.rows:
        weights[row.node] += row.weight
    # A parent's number is smaller.
    for node in range(len(weights) - 1, -1, -1):
        if profile.parents[node] != ROOT:
            weights[profile.parents[node]] += weights[node]
    return weights


def _walk(parents: Sequence[int]) -> Iterator[tuple[int, bool]]:
    """Each stack before those that begin like it, and again, True, behind them."""
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
