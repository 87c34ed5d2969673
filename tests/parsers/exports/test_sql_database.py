# SPDX-License-Identifier: MIT OR GPL-2.0
"""Fill database tables. Tests that need a PostgreSQL server are in tests/viewers."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from pfmparse.exports.interface import ExportError
from pfmparse.exports.sql_database import Postgres, Sqlite


def stored(path: Path) -> list[tuple[Any, ...]]:
    """Return the columns that the tests fill, for all samples in a file."""
    columns = "id, run_id, stack_id, count, period"
    with closing(sqlite3.connect(path)) as link:
        return link.execute(f"SELECT {columns} FROM samples").fetchall()


def columns(count: int) -> dict[str, Any]:
    """Build columns of ``count`` samples: arrays, lists and constants."""
    numbers = np.arange(1, count + 1)
    same = {"event_id": 1, "thread_id": np.ones(count, np.intp), "location_id": 1}
    return {
        "id": numbers,
        "run_id": 3,
        "stack_id": None,
        "count": [2] * count,
        "period": np.full(count, 1 << 63, np.uint64),
        **same,
    }


@pytest.mark.parametrize("count", [0, 1, 3])
def test_database_inserts_arrays_lists_and_constants(
    count: int, tmp_path: Path
) -> None:
    path = tmp_path / "x.db"
    with closing(Sqlite(path)) as database:
        database.prepare()
        assert database.next_id("samples") == 1
        database.insert("samples", count, columns(count))
        assert database.next_id("samples") == count + 1
        database.commit()
    assert stored(path) == [(at, 3, None, 2, -(1 << 63)) for at in range(1, count + 1)]


def test_database_drops_uncommitted_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(Sqlite(path)) as database:
        database.prepare()
    assert not path.exists()
    with closing(Sqlite(path)) as database:
        database.prepare()
        database.commit()
    with closing(Sqlite(path)) as database:
        database.prepare()
        database.insert("samples", 2, columns(2))
    assert stored(path) == []


def test_database_errors_are_export_errors(tmp_path: Path) -> None:
    with closing(Sqlite(tmp_path / "x.db")) as database:
        with pytest.raises(ExportError, match="x.db: no such table: none"):
            database.run("SELECT * FROM none")
        with pytest.raises(ExportError, match="no such table: samples"):
            database.insert("samples", 1, {"id": [1]})
    with pytest.raises(ExportError, match="unable to open"):
        Sqlite(tmp_path / "none" / "x.db")


def test_postgresql_needs_psycopg2(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    modules: dict[str, object] = dict(sys.modules, psycopg2=None)
    monkeypatch.setattr(sys, "modules", modules)
    with pytest.raises(ExportError, match="python3-psycopg2"):
        Postgres("dbname=x")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Replace psycopg2; return its module, which is also the connection and cursor."""
    module = Mock(Error=ConnectionError)
    module.connect.return_value = module.cursor.return_value = module
    modules: dict[str, object] = dict(sys.modules, psycopg2=module)
    monkeypatch.setattr(sys, "modules", modules)
    return module


@pytest.mark.parametrize("call", ["connect", "execute", "copy_expert", "commit"])
def test_postgresql_errors_are_export_errors(server: Mock, call: str) -> None:
    getattr(server, call).side_effect = ConnectionError("it has\n\tgone away\n")
    with pytest.raises(ExportError, match="^PostgreSQL: it has gone away$"):
        database = Postgres("dbname=x")
        database.insert("samples", 1, columns(1))
        database.commit()


def test_postgresql_copies_escaped_rows(server: Mock) -> None:
    texts = ["a\tb\n", None, "c\\d\0"]
    Postgres("dbname=x").insert("samples", 3, {**columns(3), "name": texts})
    statement, rows = server.copy_expert.call_args.args
    assert statement.startswith("COPY samples (id, run_id, stack_id, count, period, ")
    assert rows.read() == (
        f"1\t3\t\\N\t2\t{-1 << 63}\t1\t1\t1\ta\\tb\\n\n"
        f"2\t3\t\\N\t2\t{-1 << 63}\t1\t1\t1\t\\N\n"
        f"3\t3\t\\N\t2\t{-1 << 63}\t1\t1\t1\tc\\\\d \n"
    )
