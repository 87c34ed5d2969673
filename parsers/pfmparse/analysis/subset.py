# SPDX-License-Identifier: MIT OR GPL-2.0
"""Select samples of a batch by a mask."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..formats.chains import Chains
from ..formats.samples import Column, Lazy, PmdGroup, Samples
from ..layout import NDArray


def subset(samples: Samples, mask: NDArray[np.bool_]) -> Samples:
    """Returns the samples that the mask, of shape (count,), selects."""
    which = np.flatnonzero(mask)
    if which.size == samples.count:
        return samples

    def some(name: str) -> Column:
        return samples.column(name)[which]

    return Samples(
        which.size,
        Lazy({name: partial(some, name) for name in samples.columns}),
        tuple(_group(group, mask) for group in samples.groups),
        Lazy({name: partial(some, name) for name in samples.derived}),
        samples.roles,
        None if samples.chains is None else _chains(samples.chains, which),
    )


def _group(group: PmdGroup, mask: NDArray[np.bool_]) -> PmdGroup:
    kept = mask[group.which]
    places: NDArray[Any] = np.cumsum(mask) - 1
    return PmdGroup(places[group.which][kept], group.pmds, group.values[kept])


def _chains(chains: Chains, which: NDArray[np.intp]) -> Chains:
    lengths = np.diff(chains.offsets)[which]
    offsets = np.concatenate([np.zeros(1, np.intp), np.cumsum(lengths)])
    # An address's old index is the old start of its chain plus its depth in the chain.
    shifts = np.repeat(chains.offsets[:-1][which] - offsets[:-1], lengths)
    kept = np.arange(offsets[-1]) + shifts
    kernel = None if chains.kernel is None else chains.kernel[which]
    files = None if chains.files is None else chains.files[kept]
    return Chains(offsets, chains.addresses[kept], kernel, files)
