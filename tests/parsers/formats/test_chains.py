# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test call chains."""

from __future__ import annotations

from typing import Optional

import numpy as np
import pytest
from pfmparse import Chains

KERNEL = 1 << 63
FILES = np.array([8, 0, 9], np.uint64)


def chains(*lists: list[int], kernel: Optional[list[int]] = None) -> Chains:
    """Build chains from lists of addresses."""
    offsets = np.cumsum([0, *map(len, lists)], dtype=np.intp)
    addresses = np.array([at for one in lists for at in one], np.uint64)
    return Chains(offsets, addresses, None if kernel is None else np.array(kernel))


def test_each_sample_has_its_chain() -> None:
    made = chains([1, 2], [], [3])
    assert made.count == 3
    assert made.to_lists() == [[1, 2], [], [3]]
    assert made.callers().tolist() == [1, 0, 3]
    assert chains().count == 0 and chains().callers().tolist() == []


def test_chain_starts_with_kernel_addresses() -> None:
    made = chains([1, 2, 3], [], [4], [5, 6], kernel=[2, 0, 0, 2])
    assert made.in_kernel().tolist() == [True, True, False, False, True, True]


def test_chain_level_falls_back_to_the_address() -> None:
    made = chains([KERNEL, 5], [KERNEL - 1])
    assert made.in_kernel().tolist() == [True, False, False]


def test_chains_of_table_skip_unused_entries() -> None:
    table = np.arange(1, 10, dtype=np.uint64).reshape(3, 3)
    made = Chains.of_table(table, np.array([3, 0, 1]), np.array([1, 0, 1]))
    assert made.to_lists() == [[1, 2, 3], [], [7]]
    assert made.in_kernel().tolist() == [True, False, False, True]


def test_chain_addresses_can_be_file_offsets() -> None:
    made = Chains(np.array([0, 2, 2, 3]), np.array([1, 2, 3], "<u8"), None, FILES)
    assert made.files_to_lists() == [[8, 0], [], [9]]
    found = made.files_of_callers()
    assert found is not None and found.tolist() == [8, 0, 9]
    plain = chains([1])
    assert plain.files_to_lists() is None and plain.files_of_callers() is None
    with pytest.raises(ValueError, match="files has 3 values for 1 addresses"):
        Chains(np.array([0, 1]), np.zeros(1, np.uint64), None, FILES)


@pytest.mark.parametrize("lengths", [[4, 0], [-1, 0], [1]])
def test_chain_lengths_must_fit_the_table(lengths: list[int]) -> None:
    with pytest.raises(ValueError, match="need 2 lengths, each from 0 to 3"):
        Chains.of_table(np.zeros((2, 3), np.uint64), np.array(lengths))


@pytest.mark.parametrize(
    "offsets,kernel,said",
    [
        ([], None, "not one-dimensional"),
        ([[0]], None, "not one-dimensional"),
        ([0, 2, 1], None, "do not increase"),
        ([0, 4], None, "do not increase from 0 to 3"),
        ([-1, 2], None, "do not increase"),
        ([0, 3], [1, 1], "kernel has 2 values for 1 chains"),
        ([0, 3], [4], "below 0 or above its chain"),
        ([0, 3], [-1], "below 0 or above its chain"),
    ],
)
def test_inconsistent_chain_arrays_are_refused(
    offsets: list[int], kernel: Optional[list[int]], said: str
) -> None:
    parts = None if kernel is None else np.array(kernel)
    with pytest.raises(ValueError, match=said):
        Chains(np.array(offsets, np.intp), np.zeros(3, np.uint64), parts)
