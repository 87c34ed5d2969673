# SPDX-License-Identifier: MIT OR GPL-2.0
"""Ranges of addresses, of which later ones replaced earlier ones."""

from __future__ import annotations

import numpy as np
from helpers.readers import call_count, peak_memory
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.capture.overlaps import NONE, Overlaps

HIGHEST = (1 << 64) - 1
RANGES = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 20)).map(lambda of: (of[0], sum(of)))
)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(RANGES, st.lists(st.tuples(st.integers(0, 62), st.integers(0, 30))))
def test_last_range_before_a_limit_is_found(
    ranges: list[tuple[int, int]], probes: list[tuple[int, int]]
) -> None:
    starts, ends = np.array(ranges, np.uint64).reshape(-1, 2).T
    addresses, limits = np.array(probes, np.intp).reshape(-1, 2).T
    limits = np.minimum(limits, len(ranges))
    found = Overlaps(starts, ends).last(addresses.astype(np.uint64), limits)
    for (address, limit), number in zip(probes, found.tolist()):
        around = [
            at for at, (start, end) in enumerate(ranges) if start <= address < end
        ]
        before = [at for at in around if at < limit]
        assert number == (before[-1:] or around[:1] or [NONE])[0]


def test_ranges_at_both_ends_of_memory_are_found() -> None:
    starts, ends = np.array([[0, HIGHEST - 1], [1, HIGHEST]], np.uint64)
    probes = np.array([0, 1, HIGHEST - 1, HIGHEST], np.uint64)
    assert Overlaps(starts, ends).last(probes, 2).tolist() == [0, NONE, 1, NONE]


def test_search_among_many_ranges_is_fast() -> None:
    """All ranges overlap: neither compare them with each address, nor in a table."""
    many = np.arange(1 << 17, dtype=np.uint64)
    starts, ends = many, np.full(many.size, 1 << 40, np.uint64)
    probes = np.full(many.size, many.size, np.uint64)

    def search() -> list[int]:
        found = Overlaps(starts, ends).last(probes, np.arange(many.size))
        return found.tolist()  # type: ignore[no-any-return]

    assert search() == [0, *range(many.size - 1)]
    assert call_count(search) < many.size // 100
    assert peak_memory(search)[0] < 1000 * many.size
