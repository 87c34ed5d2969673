# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read columns of an input's samples."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.readers import opened
from helpers.stacks_capture import stack_capture
from helpers.writers import IIP_HDR, Sample, captured, pmd, session, simple_capture
from pfmparse.analysis.rows import numbers_of
from pfmparse.analysis.table import Array, Table, detail_of, joined
from pfmparse.errors import PfmParseError
from pfmparse.symbols.location import Detail


def table(data: bytes, *columns: str) -> dict[str, Array]:
    """Read these columns of a capture."""
    source = opened(data)
    return Table(source, numbers_of([source]), columns).read()


def test_table_has_numbers_and_texts() -> None:
    found = table(stack_capture(), "cpu", "function", "stack", "comm", "file")
    assert {name: column.size for name, column in found.items()} == dict.fromkeys(
        ("cpu", "function", "stack", "comm", "file"), 10
    )
    assert found["cpu"].dtype == np.uint32
    assert found["function"].tolist().count("hot") == 6
    assert found["stack"].tolist().count("main;warm;schedule") == 1
    assert set(found["comm"]) == {"program", "worker"}
    assert set(found["file"]) == {"x.pfm"}


def test_unknown_table_texts_are_empty() -> None:
    found = table(captured([Sample(ip=5)], flags=IIP_HDR), "comm", "stack", "line")
    assert [column.tolist() for column in found.values()] == [[""], [""], [""]]


def test_table_columns_may_be_those_of_the_format() -> None:
    found = table(simple_capture([Sample(ip=7)]), "last_reset_val", "address")
    assert found["address"].tolist() == [7]
    assert found["last_reset_val"].tolist() == [(1 << 64) - 1000]


def test_table_refuses_columns_that_do_not_exist() -> None:
    data = simple_capture([Sample()], session({0: [pmd(0, [1])]}))
    with pytest.raises(PfmParseError, match="no sample has values of PMD 9; .*: 1$"):
        table(data, "pmd9")
    with pytest.raises(PfmParseError, match="the samples have no odd; they have pid"):
        table(simple_capture([Sample()]), "odd")


def test_table_looks_up_no_more_than_columns_need() -> None:
    assert detail_of(["time", "object"]) is Detail.OBJECT
    assert detail_of(["stack", "time"]) is Detail.SYMBOL
    assert detail_of(["line", "function"]) is Detail.LINE


def test_joined_columns_keep_their_type() -> None:
    parts: list[Array] = [np.zeros(2, np.uint32), np.zeros(0, np.uint64)]
    assert joined(parts).dtype == np.uint32 and joined([]).size == 0
