# SPDX-License-Identifier: MIT OR GPL-2.0
"""Samples grouped by one key or by several."""

from __future__ import annotations

from typing import Sequence

import numpy as np

from ..recording import Batch
from .interner import Ids, Interner, U64s
from .keys import Key, Value

Values = tuple[Value, ...]


class Groups:
    """Gives dense numbers to the combinations of keys that occur."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self._keys = keys
        # For each key after the first: numbers of (previous keys, this key).
        self._pairs = [Interner() for _ in keys[1:]]

    def ids(self, batch: Batch) -> Ids:
        """The number of each sample's combination."""
        ids = self._keys[0].ids(batch)
        for key, pairs in zip(self._keys[1:], self._pairs):
            ids = pairs.ids(_unsigned(ids), _unsigned(key.ids(batch)))
        return ids

    def values(self) -> list[Values]:
        """The values of the keys of each group number; groups may have equal values."""
        found: list[Values] = [(value,) for value in self._keys[0].values()]
        for key, pairs in zip(self._keys[1:], self._pairs):
            values = key.values()
            before, last = (part.tolist() for part in pairs.pairs())
            found = [found[a] + (values[b],) for a, b in zip(before, last)]
        return found


def _unsigned(ids: Ids) -> U64s:
    return ids.astype(np.uint64)
