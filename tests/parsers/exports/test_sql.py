# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to SQLite."""

from __future__ import annotations

import re
import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from helpers.cli import ROOT, Capture, rows, run, told
from helpers.every_format import UUID_HISTOGRAM
from helpers.exporting import called, reported
from helpers.sink_buffer import READY, SinkRegion, sink
from helpers.stacks_capture import TGID, WORKER, Stack, stack_capture
from helpers.writers import (
    UUID_OPROFILE,
    UUID_PEBS64,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    cook,
    json_chunk,
    mapped,
    mapping,
    maps,
    oprofile,
    oprofile_words,
    pebs_capture,
    pmd,
    session,
)

PAGE = ROOT / "docs/exports.md"
QUERIES = re.compile(r"```sql\n(.*?)```", re.DOTALL)
BY_SAMPLE = ("--rows", "sample")


def add(path: Path, data: bytes, *options: str) -> Path:
    """Write a capture to ``path``, and add it to a database; return the database."""
    path.write_bytes(data)
    database = path.parent / "x.db"
    argv = ["export", str(path), "--to", "sql", "-o", str(database), *options]
    status, _, err = called(*argv)
    assert status == 0, err
    return database


def histogram(count: int) -> bytes:
    """Build a capture of one histogram record with this count."""
    record = struct.pack("<HHIQQ", 0, 0, TGID, 0x1000, count)
    region = SinkRegion(1, (record,), READY)
    size = len(region.body())
    return capture(
        json_chunk("SESS", session({0: [pmd(0)]}, UUID_HISTOGRAM)),
        bufr(sink([region], region_size=size, buf_size=160 + size)),
    )


def query(database: Path, text: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with closing(sqlite3.connect(database)) as link:
        return link.execute(text).fetchall()


def test_sql_samples_have_all_recorded_fields(tmp_path: Path) -> None:
    sets = {0: [pmd(0, [1, 7]), pmd(1)]}
    samples = [
        Sample(ip=0x1008, pid=101, cpu=3, tstamp=5, pmds=((1, 8), (7, 1 << 63))),
        Sample(ip=1 << 63, ovfl_pmd=1, tstamp=6, last_reset_val=(1 << 64) - 7),
    ]
    where = mapped(mapping(0x1000, 0x2000, 0, "/x"))
    data = capture(json_chunk("SESS", session(sets)), where, bufr(buffer(samples)))
    database = add(tmp_path / "1.pfm", data, *BY_SAMPLE)
    text = """
        SELECT time_ns, cpu, pid, tid, threads.name, events.name, samples.period, count,
               address, path, functions.name, stack_id, latency
        FROM samples
        JOIN events ON events.id = event_id JOIN threads ON threads.id = thread_id
        JOIN locations ON locations.id = location_id
        JOIN functions ON functions.id = function_id
        JOIN objects ON objects.id = object_id ORDER BY time_ns
    """
    assert query(database, text) == [
        (5, 3, 100, 101, "hotloops", "event-0", 1000, 1)
        + (0x1008, "/x", "", None, None),
        (6, 0, 100, 100, "hotloops", "event-1", 7, 1)
        + (-(1 << 63), "[kernel]", "", None, None),
    ]
    values = query(database, "SELECT sample_id, pmd, value FROM pmd_values")
    assert values == [(1, 1, 8), (1, 7, -(1 << 63))]


def test_sql_stacks_are_trees_of_locations(tmp_path: Path) -> None:
    database = add(tmp_path / "1.pfm", stack_capture())
    text = """
        WITH RECURSIVE walk (id, at, path) AS (
            SELECT id, parent_id, location_id || '' FROM stacks
            UNION ALL
            SELECT walk.id, stacks.parent_id, location_id || ';' || path
            FROM walk JOIN stacks ON stacks.id = walk.at)
        SELECT path, SUM(count) FROM samples JOIN walk ON walk.id = stack_id
        WHERE at IS NULL GROUP BY path ORDER BY 2 DESC
    """
    names: dict[int, str] = dict(
        (at, name)
        for at, name in query(
            database,
            "SELECT locations.id, name FROM locations"
            " JOIN functions ON functions.id = function_id",
        )
    )
    found = {
        ";".join(names[int(at)] for at in path.split(";")): count
        for path, count in query(database, text)
    }
    assert found == {"main;hot": 6, "main;warm": 3, "main;warm;schedule": 1}


def test_sql_unknown_cpu_is_null(tmp_path: Path) -> None:
    steps = [("cookie", 5), ("at", 0x10, 0), ("cpu", 3), ("at", 0x20, 0)]
    data = capture(
        json_chunk("SESS", session(uuid=UUID_OPROFILE)),
        cook([(5, "/bin/x", None)]),
        bufr(oprofile(oprofile_words(steps))),
    )
    database = add(tmp_path / "1.pfm", data, *BY_SAMPLE)
    assert query(database, "SELECT cpu FROM samples ORDER BY id") == [(None,), (3,)]


def test_sql_samples_have_memory_data(tmp_path: Path) -> None:
    records = [{"ip": 1, "dla": 0x20, "lat": 9, "dse": 3}]
    data = pebs_capture(records, 176, session(uuid=UUID_PEBS64))
    database = add(tmp_path / "1.pfm", data, *BY_SAMPLE)
    text = "SELECT data_address, latency, data_source FROM samples"
    assert query(database, text) == [(0x20, 9, 3)]


@pytest.mark.parametrize("kept", ["sample", "location"])
def test_sql_export_appends_to_a_database(
    kept: str, tmp_path: Path, capsys: Capture
) -> None:
    first = tmp_path / "1.pfm"
    add(first, stack_capture(), "--rows", kept)
    other = [Stack(("hot", "main"), 5, tid=WORKER)]
    database = add(tmp_path / "2.pfm", stack_capture(other), "--rows", kept)
    text = "SELECT run_id, function, SUM(samples), SUM(period) FROM by_function"
    found = query(database, text + " GROUP BY 1, 2 ORDER BY 1, 3 DESC")
    assert found == [
        *((1, "hot", 6, 6000), (1, "warm", 3, 3000), (1, "schedule", 1, 1000)),
        (2, "hot", 5, 5000),
    ]
    assert {row[1]: row[2] for row in found if row[0] == 1} == rows(
        capsys, "function", first
    )
    (top, *_) = query(database, "SELECT * FROM top_functions")
    assert top[0] == "hot" and top[2:] == (11, pytest.approx(1100 / 15))
    assert query(database, "SELECT COUNT(*) FROM hosts") == [(1,)]
    names = query(database, "SELECT COUNT(*), COUNT(DISTINCT name) FROM functions")
    assert names == [(4, 4)] or names == [(3, 3)]
    threads = query(database, "SELECT DISTINCT pid, tid, name FROM threads")
    assert set(threads) == {(TGID, TGID, "program"), (TGID, WORKER, "worker")}
    count = 15 if kept == "sample" else 4
    assert query(database, "SELECT COUNT(*), SUM(count) FROM samples") == [(count, 15)]


def test_sql_export_refuses_a_capture_twice(tmp_path: Path, capsys: Capture) -> None:
    database = add(tmp_path / "1.pfm", stack_capture())
    before = database.read_bytes()
    copy, new = tmp_path / "copy.pfm", tmp_path / "new.pfm"
    copy.write_bytes(stack_capture())
    new.write_bytes(stack_capture([Stack(("warm",))]))
    # If one of the captures is refused, the other is not added either.
    argv = ["export", str(new), str(copy), "--to", "sql", "-o", str(database)]
    status, _, err = run(capsys, *argv)
    assert status == 1
    assert f"{copy} is already in the database as {tmp_path}/1.pfm" in err
    assert query(database, "SELECT COUNT(*) FROM runs") == [(1,)]
    assert database.read_bytes() == before


def test_failed_sql_export_leaves_nothing(tmp_path: Path, capsys: Capture) -> None:
    path, database = tmp_path / "1.pfm", tmp_path / "x.db"
    path.write_bytes(stack_capture())
    argv = ["export", str(path), "--to", "sql", "-o", str(database)]
    status, _, err = run(capsys, *argv, "--strict")
    assert status == 1
    assert "not written: the format does not store CPUs; times" in err
    assert not database.exists()
    assert run(capsys, *argv, *BY_SAMPLE, "--strict")[0] == 0
    database.write_bytes(b"no database" * 100)
    status, _, err = run(capsys, *argv)
    assert status == 1 and "file is not a database" in err
    assert database.read_bytes() == b"no database" * 100


def test_sql_export_refuses_other_schema_version(
    tmp_path: Path, capsys: Capture
) -> None:
    database = add(tmp_path / "1.pfm", stack_capture())
    with closing(sqlite3.connect(database)) as link:
        link.execute("UPDATE pfmparse_schema SET version = 2")
        link.commit()
    argv = ["export", str(tmp_path / "1.pfm"), "--to", "sql", "-o", str(database)]
    status, _, err = run(capsys, *argv)
    assert status == 1 and "the tables have version 2, not 1: use a new" in err


def test_sql_export_keeps_foreign_tables(tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    with closing(sqlite3.connect(database)) as link:
        link.execute("CREATE TABLE mine (n)")
        link.commit()
    add(tmp_path / "1.pfm", stack_capture())
    assert query(database, "SELECT COUNT(*) FROM mine") == [(0,)]


def test_sql_export_needs_either_file_or_dsn(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "1.pfm"
    path.write_bytes(stack_capture())
    argv = ["export", str(path), "--to", "sql"]
    status, _, err = run(capsys, *argv)
    assert status == 1 and "use -o FILE" in err
    status, _, err = run(capsys, *argv, "-o", "x.db", "--dsn", "dbname=x")
    assert status == 1 and "either -o FILE or --dsn DSN" in err


def test_sql_export_accepts_control_chars_in_paths(tmp_path: Path) -> None:
    path = "/a\t\\N\0'b"
    data = captured([Sample(ip=0x1000)], mapped(mapping(0x1000, 0x2000, 0, path)))
    database = add(tmp_path / "1.pfm", data)
    assert query(database, "SELECT path FROM objects") == [("/a\t\\N 'b",)]


def test_sql_export_escapes_invalid_unicode_in_names(tmp_path: Path) -> None:
    event = {**pmd(0), "event": "e\udcfe"}
    where = json_chunk("MAPS", maps(100, [], "c\udcfe\0"))
    head = json_chunk("SESS", session({0: [event]}))
    data = capture(head, where, bufr(buffer([Sample(pid=100)])))
    database = add(tmp_path / "1.pfm", data)
    found = query(
        database,
        "SELECT events.name, threads.name FROM samples"
        " JOIN events ON events.id = event_id JOIN threads ON threads.id = thread_id",
    )
    assert found == [("e\\xfe", "c\\xfe ")]


def test_sql_queries_of_the_page_return_rows(
    captures: dict[str, Path], tmp_path: Path, capsys: Capture
) -> None:
    database = tmp_path / "x.db"
    for name in ("default", "pebs64", "callstack"):
        argv = ["export", str(captures[name]), "--to", "sql", "-o", str(database)]
        argv += BY_SAMPLE
        assert told(capsys, *argv, warns=True)["not_carried"] is not None
    found = [query(database, text) for text in QUERIES.findall(PAGE.read_text())]
    assert len(found) == 3 and all(found)
    counts: dict[str, int] = {}
    for name in ("default", "pebs64", "callstack"):
        for row in reported(captures[name]):
            counts[row["key"]] = counts.get(row["key"], 0) + row["count"]
    functions = query(database, "SELECT function, samples FROM top_functions")
    assert {name: count for name, count in functions} == counts


@pytest.mark.parametrize("kept", ["sample", "location"])
def test_sql_export_notes_numbers_beyond_63_bits(
    kept: str, tmp_path: Path, capsys: Capture
) -> None:
    path, database = tmp_path / "1.pfm", tmp_path / "x.db"
    argv = ["export", str(path), "--to", "sql", "-o", str(database), "--rows", kept]
    most = (1 << 63) - 1
    # Each histogram record has the period 1000.
    for count, known, period in (
        (1 << 53, 1 << 53, 1000 << 53),
        (1 << 54, 1 << 54, most),
        (1 << 62, 1 << 62, most),
        (1 << 63, most, most),
    ):
        path.write_bytes(histogram(count))
        lacks = told(capsys, *argv, warns=True)["not_carried"]
        text = "counts and periods above 2^63 - 1, which are limited to that"
        assert (text in lacks) == (most in (known, period))
        found = query(database, "SELECT count, samples.period FROM samples")
        assert found == [(known, period)]
        database.unlink()


def test_sql_export_has_count_and_period(tmp_path: Path) -> None:
    text = "SELECT count, samples.period FROM samples"
    database = add(tmp_path / "1.pfm", captured([Sample()]), "--weight", "period")
    assert query(database, text) == [(1, 1000)]


def test_sql_export_refuses_other_weights(tmp_path: Path, capsys: Capture) -> None:
    path, database = tmp_path / "1.pfm", tmp_path / "x.db"
    path.write_bytes(captured([Sample()]))
    argv = ["export", str(path), "--to", "sql", "-o", str(database)]
    status, _, err = run(capsys, *argv, "--weight", "cpu")
    assert status == 1
    assert "--weight cpu is not available: not all inputs have sums of it" in err
    assert not database.exists()
