# SPDX-License-Identifier: MIT OR GPL-2.0
"""The databases for exported samples: SQLite and PostgreSQL."""

from __future__ import annotations

import io
import sqlite3
from abc import ABC, abstractmethod
from contextlib import contextmanager
from importlib import import_module
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from ..layout import NDArray
from . import sql_schema
from .interface import ExportError

# One value per row, or one integer or None (NULL) for all rows.
Values = Union[NDArray[Any], Sequence[object], int, None]

LOCK = 0x70666D  # PostgreSQL advisory lock; only its owner may assign row IDs
BLOCK = 1 << 14  # rows that are converted to text at once; they fit into the cache

# Escapes for PostgreSQL's COPY. PostgreSQL's texts cannot contain NUL.
ESCAPES = str.maketrans(
    {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": " "}
)
NULL = "\\N"


class Database(ABC):
    """A database in a transaction; close() rolls back changes that are not committed.

    All errors are raised as ExportError.
    """

    _name: object  # of the database, for messages
    _error: type[Exception]  # the base class of the database's own errors

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Raises the database's own errors as ExportError."""
        try:
            yield
        except self._error as error:
            text = " ".join(str(error).split())
            raise ExportError(f"{self._name}: {text}") from error

    def prepare(self) -> None:
        """Creates missing tables.

        Raises ExportError if existing tables have another version.
        """
        if not self.has_schema():
            for statement in sql_schema.statements(self.own_id):
                self.run(statement)
            self.run("INSERT INTO pfmparse_schema VALUES (?)", sql_schema.VERSION)
            return
        (found,) = self.one("SELECT version FROM pfmparse_schema") or (None,)
        if found != sql_schema.VERSION:
            text = f"the tables have version {found}, not {sql_schema.VERSION}"
            raise ExportError(f"{text}: use a new database")

    def next_id(self, table: str) -> int:
        """Returns the highest ID in a table plus 1."""
        (found,) = self.one(f"SELECT COALESCE(MAX(id), 0) + 1 FROM {table}") or (1,)
        return int(found)

    def one(self, query: str, *values: object) -> Optional[tuple[Any, ...]]:
        """Returns the first row of a query's result, or None."""
        row: Optional[tuple[Any, ...]] = self.run(query, *values).fetchone()
        return row

    @property
    @abstractmethod
    def own_id(self) -> str:
        """The SQL type of the column "id"."""

    @abstractmethod
    def has_schema(self) -> bool:
        """Returns whether the database has pfmparse's tables."""

    @abstractmethod
    def run(self, statement: str, *values: object) -> Any:
        """Runs a statement, whose ``?`` stand for the values; returns its cursor."""

    @abstractmethod
    def insert(self, table: str, count: int, columns: Mapping[str, Values]) -> None:
        """Adds ``count`` rows to a table."""

    @abstractmethod
    def commit(self) -> None:
        """Commits the transaction."""

    @abstractmethod
    def close(self) -> None:
        """Closes the database; rolls back changes that are not committed."""


class Sqlite(Database):
    """An SQLite file, which is created if it does not exist."""

    own_id = "INTEGER PRIMARY KEY"
    _error = sqlite3.Error

    def __init__(self, path: Path) -> None:
        self._name = self._path = path
        self._is_new = not path.exists()
        with self._reporting():
            self._link = sqlite3.connect(path, isolation_level=None, timeout=60)
        self.run("PRAGMA cache_size = -65536")
        self.run("BEGIN IMMEDIATE")

    def has_schema(self) -> bool:
        query = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'pfmparse_schema'"
        return self.one(query) == (1,)

    def run(self, statement: str, *values: object) -> sqlite3.Cursor:
        with self._reporting():
            return self._link.execute(statement, values)

    def insert(self, table: str, count: int, columns: Mapping[str, Values]) -> None:
        # Values that are equal in all rows become part of the statement.
        same = {name: _only(values) for name, values in columns.items()}
        places = ", ".join("?" if only is None else only for only in same.values())
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"
        rows = zip(
            *(_each(columns[name]) for name, only in same.items() if only is None)
        )
        with self._reporting():
            self._link.executemany(statement, rows)

    def commit(self) -> None:
        self.run("COMMIT")
        self._is_new = False

    def close(self) -> None:
        self._link.close()
        if self._is_new:
            self._path.unlink(missing_ok=True)


class Postgres(Database):
    """A PostgreSQL database."""

    own_id = "BIGINT PRIMARY KEY"
    _name = "PostgreSQL"

    def __init__(self, dsn: str) -> None:
        try:
            psycopg2: Any = import_module("psycopg2")
        except ImportError as error:
            text = "psycopg2 is missing (Debian: python3-psycopg2)"
            raise ExportError(text) from error
        self._error = psycopg2.Error
        with self._reporting():
            self._link = psycopg2.connect(dsn)
            self._cursor = self._link.cursor()
        self.run("SELECT pg_advisory_xact_lock(?)", LOCK)

    def has_schema(self) -> bool:
        return self.one("SELECT to_regclass('pfmparse_schema') IS NOT NULL") == (True,)

    def run(self, statement: str, *values: object) -> Any:
        with self._reporting():
            self._cursor.execute(statement.replace("?", "%s"), values or None)
        return self._cursor

    def insert(self, table: str, count: int, columns: Mapping[str, Values]) -> None:
        statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN"
        lines = zip(*(_texts(values, count) for values in columns.values()))
        with self._reporting():
            while text := "\n".join(map("\t".join, islice(lines, BLOCK))):
                self._cursor.copy_expert(statement, io.StringIO(text + "\n"))

    def commit(self) -> None:
        with self._reporting():
            self._link.commit()

    def close(self) -> None:
        self._link.close()


def _only(values: Values) -> Optional[str]:
    """Returns the value as SQL text if it is the same for all rows, otherwise None."""
    if values is None:
        return "NULL"
    if isinstance(values, np.ndarray) and values.size > 1:
        return str(_signed(values[:1])[0]) if (values == values[0]).all() else None
    return str(values) if isinstance(values, int) else None


def _each(values: Values) -> Iterable[object]:
    """Returns a value for each row."""
    if isinstance(values, np.ndarray):
        found: list[object] = _signed(values).tolist()
        return found
    assert values is not None and not isinstance(values, int)
    return values


def _texts(values: Values, count: int) -> Iterable[str]:
    """Returns a value for each row, as text for PostgreSQL's COPY."""
    if isinstance(values, np.ndarray):
        return map(str, _signed(values).tolist())
    if values is None or isinstance(values, int):
        return repeat(_text(values), count)
    return map(_text, values)


def _text(value: object) -> str:
    if value is None:
        return NULL
    return str(value).translate(ESCAPES)


def _signed(values: NDArray[Any]) -> NDArray[Any]:
    """Converts numbers to signed 64-bit integers: databases have no unsigned ones."""
    return values.astype(np.int64) if values.dtype == np.uint64 else values
