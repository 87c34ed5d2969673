# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sums of samples by key."""

from __future__ import annotations

import pytest
from helpers.readers import opened
from helpers.writers import Sample, simple_capture
from pfmparse.analysis.groups import Values
from pfmparse.analysis.row_sums import Row, add, ordered
from pfmparse.errors import PfmParseError


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
