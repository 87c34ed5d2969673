# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to PostgreSQL, with a server that the tests start."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator

import pytest
from helpers.cli import ROOT
from helpers.exporting import NAMES, called, reported

psycopg2: Any = import_module("psycopg2")

PROGRAMS = max(Path("/usr/lib/postgresql").glob("*/bin"))
PAGE = ROOT / "docs/exports.md"
QUERIES = re.compile(r"```sql\n(.*?)```", re.DOTALL)


def server(directory: Path, program: str, *options: str) -> None:
    """Run one of PostgreSQL's programs.

    It refuses to run as root. If the tests run as root, it runs as the user postgres.
    """
    command = [str(PROGRAMS / program), "-D", str(directory / "data"), *options]
    if os.getuid() == 0:
        command = ["runuser", "-u", "postgres", "--", *command]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Yield the DSN of a server that accepts only local connections."""
    directory = Path(tempfile.mkdtemp(prefix="pfm-pg-"))
    if os.getuid() == 0:
        os.chown(directory, pwd.getpwnam("postgres").pw_uid, -1)
    server(directory, "initdb", "-U", "pfm", "-A", "trust", "-E", "UTF8", "-N")
    options = f"-k {directory} -c listen_addresses= -c fsync=off"
    log = str(directory / "log")
    server(directory, "pg_ctl", "-w", "-l", log, "-o", options, "start")
    try:
        yield f"host={directory} user=pfm dbname=postgres"
    finally:
        server(directory, "pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(directory)


@pytest.fixture
def dsn(cluster: str) -> str:
    """Return the DSN of an empty database."""
    ask(cluster, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return cluster


def ask(dsn: str, *queries: str) -> list[tuple[Any, ...]]:
    """Return the result of the last query."""
    link = psycopg2.connect(dsn)
    try:
        with link, link.cursor() as cursor:
            for query in queries:
                cursor.execute(query)
            return list(cursor.fetchall()) if cursor.description else []
    finally:
        link.close()


def added(dsn: str, *options: str) -> str:
    """Export a capture; return the messages."""
    status, _, err = called("export", *options, "--to", "sql", "--dsn", dsn)
    assert status == 0, err
    return err


@pytest.mark.parametrize("kept", ["sample", "location"])
def test_postgresql_agrees_with_report(
    kept: str, dsn: str, captures: dict[str, Path]
) -> None:
    counts: Counter[str] = Counter()
    for name in NAMES:
        added(dsn, str(captures[name]), "--rows", kept)
        for row in reported(captures[name]):
            counts[row["key"]] += row["count"]
    found = ask(dsn, "SELECT function, SUM(samples) FROM by_function GROUP BY 1")
    assert {function: int(samples) for function, samples in found} == counts


def test_postgresql_agrees_with_sqlite_file(
    dsn: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    files = [str(captures[name]) for name in NAMES]
    by_sample = ("--rows", "sample")
    added(dsn, *files, *by_sample)
    path = tmp_path / "x.db"
    argv = ("export", *files, "--to", "sql", "-o", str(path), *by_sample)
    status, _, err = called(*argv)
    assert status == 0, err
    link = sqlite3.connect(path)
    tables: tuple[str, ...] = ("hosts", "runs", "events", "threads", "objects")
    tables += ("functions", "locations", "stacks", "samples", "pmd_values")
    for table in tables:
        query = f"SELECT * FROM {table} ORDER BY 1, 2"
        assert ask(dsn, query) == link.execute(query).fetchall(), table
    link.close()


def test_duplicate_capture_is_refused(dsn: str, captures: dict[str, Path]) -> None:
    added(dsn, str(captures["default"]))
    argv = ("export", str(captures["nway"]), str(captures["default"]), "--to", "sql")
    status, _, err = called(*argv, "--dsn", dsn)
    assert status == 1 and "is already in the database as" in err
    assert ask(dsn, "SELECT COUNT(*) FROM runs") == [(1,)]
    assert ask(dsn, "SELECT COUNT(DISTINCT run_id) FROM samples") == [(1,)]


def test_queries_of_the_page_answer(dsn: str, captures: dict[str, Path]) -> None:
    files = [str(captures[name]) for name in ("default", "pebs64", "callstack")]
    added(dsn, *files, "--rows", "sample")
    found = [ask(dsn, query) for query in QUERIES.findall(PAGE.read_text())]
    assert len(found) == 3 and all(found)


def test_missing_postgresql_server_is_named(captures: dict[str, Path]) -> None:
    argv = ("export", str(captures["default"]), "--to", "sql")
    status, _, err = called(*argv, "--dsn", "host=/nowhere password=secret")
    assert status == 1 and "PostgreSQL:" in err and "/nowhere" in err
    assert "secret" not in err and "Traceback" not in err
