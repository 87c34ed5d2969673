# SPDX-License-Identifier: MIT OR GPL-2.0
"""Groups equal elements."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from .arrays import NDArray


def split(which: NDArray[np.intp], *keys: NDArray[Any]) -> Iterator[NDArray[np.intp]]:
    """Splits ``which`` into non-empty groups of elements with equal keys."""
    if which.size == 0:
        return
    order = np.lexsort(keys)
    changes = np.zeros(which.size - 1, np.bool_)
    for key in keys:
        changes |= np.diff(key[order]) != 0
    yield from np.split(which[order], np.flatnonzero(changes) + 1)
