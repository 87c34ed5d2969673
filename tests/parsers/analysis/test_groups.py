# SPDX-License-Identifier: MIT OR GPL-2.0
"""Grouping of samples by one or several keys."""

from __future__ import annotations

from collections import Counter

import numpy as np
from helpers.readers import opened
from helpers.writers import captured
from hypothesis import given
from hypothesis import strategies as st
from pfmparse import Batch, Samples
from pfmparse.analysis.groups import Groups
from pfmparse.analysis.keys import key
from pfmparse.analysis.sums import Sums

NAMES = ("cpu", "node", "tid")
ROWS = st.lists(st.tuples(*(st.integers(0, 3) for _ in NAMES)), max_size=20)


@given(st.lists(ROWS, max_size=3), st.integers(1, 3))
def test_groups_count_combinations_of_keys(
    batches: list[list[tuple[int, ...]]], count: int
) -> None:
    source = opened(captured([]))
    groups, sums = Groups([key(name, source) for name in NAMES[:count]]), Sums()
    for rows in batches:
        table = np.array(rows, np.uint64).reshape(-1, len(NAMES))
        columns = dict(zip(NAMES, table.T))
        sums.add(groups.ids(Batch(Samples(len(rows), columns), 0)))
    values = groups.values()
    found = {
        tuple(value.key for value in combination): number
        for combination, number in zip(values, sums.result(len(values)))
    }
    assert found == Counter(row[:count] for rows in batches for row in rows)
