# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build profiles and boxes of flame graphs."""

from __future__ import annotations

import numpy as np
from helpers.readers import opened
from helpers.stacks_capture import Stack, stack_capture
from numpy.typing import NDArray
from pfmparse.analysis.profile import Profile, Profiler
from pfmparse.exports.flame_tree import Tree

FUNCTIONS = ("a", "b", "c")


def profiled(*stacks: Stack) -> Profile:
    """Build the profile of a capture of these stacks."""
    source = opened(stack_capture(stacks, FUNCTIONS))
    profiler = Profiler()
    profiler.add(source, source.batches())
    return profiler.profile


def weights(profile: Profile) -> NDArray[np.float64]:
    """Return the samples of each row."""
    return np.array([row.samples for row in profile.rows], np.float64)


def paths(tree: Tree) -> list[tuple[str, ...]]:
    """Return the path to each box, from the root to the box itself."""
    found: list[tuple[str, ...]] = []
    for number, parent in enumerate(tree.parents.tolist()):
        name = tree.labels[tree.label_of[number]][0]
        found.append((name,) if parent < 0 else (*found[parent], name))
    return found
