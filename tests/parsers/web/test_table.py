# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that tables of selected samples agree with reports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Optional

import pytest
from helpers import every_format
from helpers.exporting import called, reported
from helpers.served import answered, cells_of, every, session_of
from helpers.stacks_capture import Stack, stack_capture
from pfmparse.web.choice import Choice
from pfmparse.web.keys import Row
from pfmparse.web.session import Session
from pfmparse.web.table import Wanted, as_json, rows_of, rows_of_report

ROWS = [Row("b", "y", 2, 5), Row("a", "z", 2, 9), Row("c", "x", 7, 7)]


def rows(session: Session, by: str, **chosen: object) -> dict[Any, int]:
    """Return the own samples of each row that has any, by the keys of a report."""
    answer = answered(session, "table", by=by, top=10000, **chosen)
    assert answer["others"] == {"count": 0, "own": 0}
    found = {_name(row): row["own"] for row in answer["rows"] if row["own"]}
    assert answer["total"] == sum(found.values())
    return found


def _name(row: Any) -> Any:
    number = row["select"].get("tid", row["select"].get("pid"))
    return row["name"] if number is None else number


def counted(file: Path, by: str, *options: str) -> dict[Any, int]:
    """Return a report's counts by key."""
    return {row["key"]: row["count"] for row in reported(file, "--by", by, *options)}


@pytest.mark.parametrize("name", every_format.FORMATS)
def test_table_by_function_agrees_with_report(
    name: str, captures: dict[str, Path]
) -> None:
    with session_of(captures[name]) as session:
        assert rows(session, "function") == counted(captures[name], "function")
        for event in session.cells.events:
            found = rows(session, "function", event=event)
            if found:
                options = ("--event", event)
                assert found == counted(captures[name], "function", *options)


@pytest.mark.parametrize("name", ["default", "nway", "callstack", "flight"])
def test_selected_table_agrees_with_report(
    name: str, captures: dict[str, Path]
) -> None:
    chosen = {"tid": 101, "event": "loads", "from": 100, "to": 700}
    with session_of(captures[name]) as session:
        step = session.cells.clock.step
        options = ["--tid", "101", "--event", "loads"]
        options += ["--time", f"{100 * step}ns-{700 * step}ns"]
        for mine, theirs in (
            ("function", "function"),
            ("thread", "tid"),
            ("process", "process"),
            ("line", "line"),
            ("ip", "ip"),
            ("cpu", "cpu"),
        ):
            expected = counted(captures[name], theirs, *options)
            found = rows(session, mine, **chosen)
            assert found == {_like(found, key): n for key, n in expected.items()}
            assert found
        told = answered(session, "table", **chosen)["options"]
        assert sorted(told.split()) == sorted(options)


def _like(found: dict[Any, int], key: Any) -> Any:
    """Return a report's key as the page writes it, which may be a number as text."""
    return key if key in found else str(key)


@pytest.mark.parametrize("by", ["function", "line"])
def test_table_of_weights_agrees_with_report(
    by: str, captures: dict[str, Path]
) -> None:
    file = captures["callstack"]
    with session_of(file, weight="period") as session:
        sums: dict[str, int] = {}
        for row in reported(file, "--by", by, "--weight", "period"):
            sums[row["key"]] = sums.get(row["key"], 0) + row["weight"]
        assert rows(session, by) == sums


def test_totals_agree_with_call_report(stacks: Path, session: Session) -> None:
    _, out, _ = called("report", "--cumulative", "--json", str(stacks))
    expected = {row["key"]: row["inclusive"] for row in json.loads(out)["rows"]}
    found = answered(session, "table", by="function")["rows"]
    assert {row["name"]: row["total"] for row in found} == expected


def test_recursive_function_counts_once(tmp_path: Path) -> None:
    cells = cells_of(tmp_path, stack_capture([Stack(("hot", "hot", "main"), 5)]))
    rows = rows_of(cells, every(cells), "function")
    assert {row.name: row.total for row in rows} == {"hot": 5, "main": 5}


@pytest.mark.parametrize(
    "order,down,names",
    [
        ("own", True, "cab"),
        ("own", False, "bac"),
        ("total", True, "acb"),
        ("name", False, "abc"),
        ("name", True, "cba"),
        ("detail", False, "cba"),
    ],
)
def test_rows_are_sorted(order: str, down: bool, names: str) -> None:
    found: Any = as_json(ROWS, Wanted(order, down, 10, None))["rows"]
    assert "".join(row["name"] for row in found) == names


@pytest.mark.parametrize("find,others", [(None, (2, 4)), ("A|B", (1, 2))])
def test_rows_beyond_the_first_are_summed(
    find: Optional[str], others: tuple[int, int]
) -> None:
    pattern = None if find is None else re.compile(find, re.IGNORECASE)
    found: Any = as_json(ROWS, Wanted("own", True, 1, pattern))
    assert len(found["rows"]) == 1
    assert found["others"] == dict(zip(("count", "own"), others))


def test_values_without_samples_have_no_row(tmp_path: Path) -> None:
    cells = cells_of(tmp_path)
    names = {row.name for row in rows_of(cells, every(cells), "event")}
    assert names == {"event-0", "event-1"}


def test_rows_of_a_report_say_where(session: Session) -> None:
    found = rows_of_report(session.report(Choice(), "ip"))
    assert (found[0].name, found[0].detail, found[0].own) == ("0x1004", "hot [jit]", 6)
