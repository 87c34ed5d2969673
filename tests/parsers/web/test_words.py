# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sum large integers exactly."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pfmparse.web.words import WORD, Words

BIG = (1 << 64) - 1


def words(numbers: list[int]) -> Words:
    """Return these numbers as Words."""
    high, low = zip(*(divmod(number, WORD) for number in numbers))
    return Words.of(np.array(high, np.uint64), np.array(low, np.uint64))


@given(st.lists(st.integers(0, BIG), min_size=1))
def test_words_are_the_integers(numbers: list[int]) -> None:
    assert words(numbers).integers() == numbers
    assert words(numbers).total() == sum(numbers)


def test_sums_by_number_are_exact() -> None:
    found = words([BIG, BIG, 1, 2]).by(np.array([0, 0, 1, 1]), 3)
    assert found.integers() == [2 * BIG, 3, 0]
    assert found.some(np.array([1])).integers() == [3]
    assert found.values().tolist() == [2.0**65, 3, 0]
