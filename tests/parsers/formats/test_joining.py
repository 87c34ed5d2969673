# SPDX-License-Identifier: MIT OR GPL-2.0
"""Joining the samples of several buffers."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
import pytest
from pfmparse import Chains, Lazy, PmdGroup, Role, Samples
from pfmparse.commands.dump import samples_as_dicts
from pfmparse.formats.joining import alike, join
from pfmparse.formats.samples import compact, constant

ONE = {"ip": np.array([1, 2, 3], np.uint64)}
OTHER = {"ip": np.array([4, 5], np.uint64)}


def chains(
    lists: Sequence[Sequence[int]], kernel: Optional[list[int]], files: bool = False
) -> Chains:
    """Build chains in an array that has extra elements at both ends."""
    lengths = [len(one) for one in lists]
    addresses = [99, *(address for one in lists for address in one), 98]
    return Chains(
        np.cumsum([1, *lengths]),
        np.array(addresses, np.uint64),
        None if kernel is None else np.array(kernel),
        np.array(addresses, np.uint64) + np.uint64(50) if files else None,
    )


def rows(*parts: Samples) -> list[dict[str, Any]]:
    """Return the samples of all parts."""
    return [dict(row) for part in parts for row in samples_as_dicts(part)]


@pytest.mark.parametrize("kernel", [False, True])
@pytest.mark.parametrize("files", [False, True])
def test_joined_samples_equal_their_parts(kernel: bool, files: bool) -> None:
    values = np.arange(6, dtype=np.uint64).reshape(3, 2)
    one = Samples(
        3,
        ONE,
        (PmdGroup(slice(None), (2, 5), values),),
        Lazy({"twice": lambda: ONE["ip"] * np.uint64(2)}),
        chains=chains([[7, 8], [], [9]], [1, 0, 1] if kernel else None, files),
    )
    groups = (
        PmdGroup(np.array([1]), (2,), np.array([[70]], np.uint64)),
        PmdGroup(slice(0, 1), (3,), np.array([[71]], np.uint64)),
    )
    other = Samples(
        2,
        OTHER,
        groups,
        Lazy({"twice": lambda: OTHER["ip"] * np.uint64(2)}),
        chains=chains([[6], [5, 4]], [0, 2] if kernel else None, files),
    )
    assert alike(one, other)
    both = join([one, other])
    assert rows(both) == rows(one, other)
    assert both.column("twice").tolist() == [2, 4, 6, 8, 10]
    assert both.chains is not None and one.chains is not None
    levels = both.chains.in_kernel().tolist()
    if kernel:
        assert levels == [True, False, True, False, True, True]


def test_joined_lazy_columns_are_made_once_on_demand() -> None:
    made: list[str] = []

    def lazy(name: str) -> Samples:
        def column() -> np.ndarray[Any, Any]:
            made.append(name)
            return np.array([1])

        return Samples(1, Lazy({"ip": column, "cpu": column}))

    both = join([lazy("a"), lazy("b")])
    assert made == []
    assert both.column("ip").tolist() == both.column("ip").tolist() == [1, 1]
    assert made == ["a", "b"]


def test_joined_constant_columns_stay_compact() -> None:
    one, other = (
        Samples(n, {"cpu": constant(np.array([value]), n), "ip": np.arange(n)})
        for n, value in ((3, 7), (2, 7))
    )
    both = join([one, other])
    assert both.column("cpu").tolist() == [7] * 5
    assert compact(both.column("cpu")).tolist() == [7]
    assert compact(both.column("ip")).tolist() == [0, 1, 2, 0, 1]


def test_different_constant_columns_are_joined() -> None:
    parts = [Samples(2, {"cpu": constant(np.array([n]), 2)}) for n in (7, 8)]
    assert join(parts).column("cpu").tolist() == [7, 7, 8, 8]


@pytest.mark.parametrize(
    "other",
    [
        Samples(2, {"cpu": OTHER["ip"]}),
        Samples(2, {"ip": np.array([4, 5], np.uint32)}),
        Samples(2, {**OTHER, "weight": OTHER["ip"]}),
        Samples(2, OTHER, derived={"twice": OTHER["ip"]}),
        Samples(2, OTHER, roles={Role.WEIGHT: "ip"}),
        Samples(2, OTHER, chains=chains([[1], [2]], None)),
        Samples(2, OTHER, chains=chains([[1], [2]], [1, 1])),
        Samples(2, OTHER, chains=chains([[1], [2]], None, True)),
    ],
)
def test_samples_with_other_columns_are_not_alike(other: Samples) -> None:
    one = Samples(3, ONE)
    assert alike(one, Samples(2, OTHER)) and not alike(one, other)
    if other.chains is not None:
        one = Samples(3, ONE, chains=chains([[1], [2], [3]], None))
        assert alike(one, other) == (other.chains.kernel is other.chains.files)


def test_joining_one_part_returns_it() -> None:
    samples = Samples(3, ONE)
    assert join([samples]) is samples
