# SPDX-License-Identifier: MIT OR GPL-2.0
"""A tree of call stacks whose nodes have dense IDs."""

from __future__ import annotations

import numpy as np

from ..recording import Batch
from .interner import Ids, Interner, U64s
from .places import Places

ROOT = -1


class Stacks:
    """Assigns dense IDs to distinct stacks.

    A stack is a node of a tree; the node's parent is the stack of the caller. The stack
    of a sample without a call chain has only the sample's own address.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._nodes = Interner()

    def __len__(self) -> int:
        return len(self._nodes)

    def ids(self, batch: Batch) -> Ids:
        """Returns the node of each sample's whole stack in the call tree."""
        own = self._places.own(batch)
        parents = self._callers(batch)
        return self._nodes.ids(_plus_one(parents), own.astype(np.uint64))

    def parents(self) -> Ids:
        """Returns the parent of each node, or ROOT; parents have lower IDs."""
        return self._nodes.pairs()[0].astype(np.intp) - 1

    def places(self) -> Ids:
        """Returns the ID of each node's innermost address (see Places)."""
        return self._nodes.pairs()[1].astype(np.intp)

    def _callers(self, batch: Batch) -> Ids:
        """Returns the node of each sample's innermost caller, or ROOT."""
        nodes = np.full(batch.samples.count, ROOT, np.intp)
        chains = batch.samples.chains
        if chains is None or batch.samples.count == 0:
            return nodes
        starts, lengths = chains.offsets[:-1], np.diff(chains.offsets)
        which = np.repeat(np.arange(nodes.size), lengths)
        used = slice(chains.offsets[0], chains.offsets[-1])
        files = None if chains.files is None else chains.files[used]
        calls = self._places.calls(batch, which, chains.addresses[used], files)
        calls = calls.astype(np.uint64)
        starts = starts - chains.offsets[0]
        # Start with the outermost callers; each step handles one depth of all samples.
        for depth in range(int(lengths.max()) - 1, -1, -1):
            deep = np.flatnonzero(lengths > depth)
            of = calls[starts[deep] + depth]
            nodes[deep] = self._nodes.ids(_plus_one(nodes[deep]), of)
        return nodes


def _plus_one(nodes: Ids) -> U64s:
    """Converts nodes to unsigned numbers; ROOT becomes 0."""
    return (nodes + 1).astype(np.uint64)
