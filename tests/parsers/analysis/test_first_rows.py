# SPDX-License-Identifier: MIT OR GPL-2.0
"""Before addresses are resolved, find rows that can be among a table's first rows."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pfmparse.analysis.first_rows import Wanted, first
from pfmparse.analysis.keys import Value
from pfmparse.analysis.memory import Row
from pfmparse.analysis.requests import ORDERS
from pfmparse.analysis.sums import Sums
from pfmparse.commands.mem import SORTS

WIDTH = 3
ROW = st.tuples(
    st.integers(0, 6) | st.integers(0, (1 << 64) - 1),
    st.lists(st.integers(0, 3) | st.integers(0, 1 << 60), min_size=3, max_size=3),
)


def chosen(rows: list[tuple[int, list[int]]], wanted: Wanted) -> set[int]:
    """Return the indices of the rows that can be among the first."""
    samples, classes = Sums(), Sums()
    for at, (_, of_each) in enumerate(rows):
        for number, count in enumerate(of_each):
            samples.add(np.array([at]), np.array([count]))
            classes.add(np.array([at * WIDTH + number]), np.array([count]))
    words = classes.words(WIDTH * len(rows))
    found = first(
        np.array([address for address, _ in rows], np.uint64),
        samples.words(len(rows)),
        (words[0].reshape(-1, WIDTH), words[1].reshape(-1, WIDTH)),
        wanted,
    ).tolist()
    assert len(set(found)) == len(found)
    return set(found)


@given(
    st.lists(ROW, min_size=1, max_size=12),
    st.sampled_from(ORDERS),
    st.none() | st.integers(1, 5),
    st.sampled_from([0.5, 40.0, 99.0, 99.999999999999, 100.0]),
)
def test_first_rows_include_every_leading_row(
    rows: list[tuple[int, list[int]]], order: str, top: Optional[int], cum: float
) -> None:
    def sorted_by(row: tuple[int, Row]) -> Any:
        return SORTS[order](row[1])

    made = [
        Row(Value(hex(at), "", {"address": at}), sum(of_each), 0, of_each)
        for at, of_each in rows
    ]
    wanted = Wanted(order, top, cum)
    found = chosen(rows, wanted)
    total, so_far = sum(row.samples for row in made), 0
    for number, (at, row) in enumerate(sorted(enumerate(made), key=sorted_by)):
        if number == top or so_far >= wanted.enough(total):
            break
        so_far += row.samples
        assert at in found


def test_first_rows_stay_few_unless_addresses_repeat() -> None:
    alone = [(at, [1, 0, 0]) for at in range(100)]
    assert len(chosen(alone, Wanted(top=3))) == 3
    assert len(chosen(alone, Wanted(cum=10))) < 15
    assert len(chosen([*alone, (5, [1, 0, 0])], Wanted(top=3))) == 5


def test_sample_count_for_cum_percentage_is_exact() -> None:
    assert Wanted().enough((1 << 63) + 1) == (1 << 63) + 1
    assert Wanted(cum=60.0).enough(5) == 3 and Wanted(cum=60.1).enough(5) == 4
    assert Wanted().enough(0) == 0


@pytest.mark.parametrize(
    "wanted,everything",
    [(Wanted(), True), (Wanted(top=5), False), (Wanted(cum=95), False)],
)
def test_all_rows_are_wanted_without_top_or_cum(
    wanted: Wanted, everything: bool
) -> None:
    assert wanted.all == everything
