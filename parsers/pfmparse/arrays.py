# SPDX-License-Identifier: MIT OR GPL-2.0
"""The array type, and groups of equal elements.

numpy.typing is imported for type checkers only: importing it would take a tenth of the
start-up time of ``pfmparse report``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray as NDArray
else:
    NDArray = np.ndarray


def split(which: NDArray[np.intp], *keys: NDArray[Any]) -> Iterator[NDArray[np.intp]]:
    """Splits ``which`` into non-empty groups of elements with equal keys."""
    if which.size == 0:
        return
    order = np.lexsort(keys)
    changes = np.zeros(which.size - 1, np.bool_)
    for key in keys:
        changes |= np.diff(key[order]) != 0
    yield from np.split(which[order], np.flatnonzero(changes) + 1)
