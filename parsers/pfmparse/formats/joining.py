# SPDX-License-Identifier: MIT OR GPL-2.0
"""Joins the samples of several buffers."""

from __future__ import annotations

from typing import Mapping, Sequence

import numpy as np

from .chains import Chains
from .samples import Column, Lazy, PmdGroup, Samples, compact, constant, made_once


def alike(one: Samples, other: Samples) -> bool:
    """True if the samples have the same columns, so that they can be joined."""
    return _shape(one) == _shape(other)


def _shape(samples: Samples) -> tuple[object, ...]:
    chains = samples.chains
    known = None if chains is None else (chains.kernel is None, chains.files is None)
    columns = _kinds(samples.columns), _kinds(samples.derived)
    return columns, dict(samples.roles), known


def _kinds(columns: Mapping[str, Column]) -> list[tuple[str, object]]:
    """The names of columns, and their types unless they are made on demand."""
    if isinstance(columns, Lazy):
        return [(name, None) for name in columns]
    return [(name, column.dtype) for name, column in columns.items()]


def join(parts: Sequence[Samples]) -> Samples:
    """Concatenates samples, which must be alike."""
    if len(parts) == 1:
        return parts[0]
    starts = [0, *np.cumsum([part.count for part in parts]).tolist()]
    groups = [
        _shifted(group, part.count, start)
        for part, start in zip(parts, starts)
        for group in part.groups
    ]
    chains = [part.chains for part in parts if part.chains is not None]

    def column(name: str) -> Column:
        return _joined([part.column(name) for part in parts])

    return Samples(
        starts[-1],
        made_once(parts[0].columns, column),
        tuple(groups),
        made_once(parts[0].derived, column),
        parts[0].roles,
        Chains.joined(chains) if chains else None,
    )


def _joined(columns: Sequence[Column]) -> Column:
    """Concatenates columns; the result is constant if all elements are equal."""
    short = [compact(column) for column in columns]
    if all(column.size == 1 and column[0] == short[0][0] for column in short):
        return constant(short[0], sum(column.size for column in columns))
    return np.concatenate(columns)


def _shifted(group: PmdGroup, count: int, start: int) -> PmdGroup:
    """A group of PMD values, shifted to samples from ``start`` on."""
    which = group.which
    if isinstance(which, slice):
        if which == slice(None):
            return PmdGroup(slice(start, start + count), group.pmds, group.values)
        which = np.arange(count)[which]
    return PmdGroup(which + start, group.pmds, group.values)
