# SPDX-License-Identifier: MIT OR GPL-2.0
"""Group samples by keys and sum them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from helpers.readers import opened
from helpers.writers import Sample, captured, simple_capture
from hypothesis import given
from hypothesis import strategies as st
from pfmparse import Batch, Samples
from pfmparse.analysis.keys import key
from pfmparse.analysis.row_sums import Groups, Row, Values, add, ordered
from pfmparse.analysis.sums import Sums
from pfmparse.errors import PfmParseError

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


def test_row_sums_of_inputs_are_added() -> None:
    rows: dict[Values, Row] = {}
    for cpus in ((1, 2, 2), (2, 3)):
        data = simple_capture([Sample(cpu=cpu) for cpu in cpus])
        assert add(rows, opened(data), ["cpu"], "period") == ["cpu"]
    found = [(row.values[0].key, row.samples, row.weight) for row in ordered(rows)]
    assert found == [(2, 3, 3000), (1, 1, 1000), (3, 1, 1000)]


def test_row_sums_refuse_a_missing_column() -> None:
    with pytest.raises(PfmParseError, match="no latency; they have pid, "):
        add({}, opened(simple_capture([Sample()])), ["latency"])
