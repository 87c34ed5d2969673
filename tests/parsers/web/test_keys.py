# SPDX-License-Identifier: MIT OR GPL-2.0
"""Group cells by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.served import cells_of, timed
from pfmparse.web.keys import KEYS, Row, key_of


@pytest.mark.parametrize(
    "by,rows",
    [
        ("event", [Row("event-0", "", 7, select={"event": "event-0"})]),
        ("process", [Row("program", "100", 7, select={"pid": 100})]),
        (
            "thread",
            [
                Row("program", "100, process 100", 7, select={"tid": 100}),
                Row("worker", "101, process 100", 7, select={"tid": 101}),
            ],
        ),
        ("function", [Row("hot", "[jit]", 7, function=1)]),
    ],
)
def test_row_describes_the_value(by: str, rows: list[Row], tmp_path: Path) -> None:
    key = key_of(cells_of(tmp_path), by)
    found = [key.row(at, 7) for at in range(key.size)]
    assert all(row in found for row in rows)


@pytest.mark.parametrize("by,name", [("process", "pid"), ("thread", "tid")])
def test_rows_of_several_captures_name_them(by: str, name: str, tmp_path: Path) -> None:
    cells = cells_of(tmp_path, timed(1), timed(2))
    key = key_of(cells, by)
    for at in range(2):
        row = key.row(at, 1)
        assert row.select == {name: f"{at + 1}:100"}
        assert row.detail.endswith(f", {tmp_path}/{at}.pfm")


@pytest.mark.parametrize("by", KEYS)
def test_each_cell_has_a_value(by: str, tmp_path: Path) -> None:
    cells = cells_of(tmp_path)
    key = key_of(cells, by)
    assert key.numbers.size == cells.event.size
    assert 0 <= key.numbers.min() and key.numbers.max() < key.size
