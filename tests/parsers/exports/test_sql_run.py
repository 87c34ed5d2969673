# SPDX-License-Identifier: MIT OR GPL-2.0
"""Store the description of a capture in a database."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from helpers.readers import opened
from helpers.stacks_capture import stack_capture
from pfmparse.exports.sql_database import Sqlite
from pfmparse.exports.sql_run import Run


def test_sql_runs_share_hosts_and_functions(tmp_path: Path) -> None:
    with closing(Sqlite(tmp_path / "x.db")) as database:
        database.prepare()
        for identity in ("a", "b"):
            source = opened(stack_capture())
            run = Run(source, database)
            for batch in source.batches():
                source.stacks.ids(batch), run.threads.ids(batch)
            run.describe(identity, "sample")
        counts = [
            database.one(f"SELECT COUNT(*) FROM {table}")
            for table in ("hosts", "runs", "objects", "functions", "locations")
        ]
        # The two objects are the kernel and generated code.
        assert counts == [(1,), (2,), (2,), (4,), (10,)]
        found = database.one(
            "SELECT host_id, identity, file, tool, command, mode, arch, kernel, format,"
            " kept, samples, lost, truncated FROM runs WHERE id = 2"
        )
        assert found == (
            *(1, "b", "x.pfm", "pfmon 0.9.0", "./hotloops --fast", "thread", "x86_64"),
            *("6.1.0-38-cloud-amd64", "callstack", "sample", 10, 7, 0),
        )
        query = "SELECT COUNT(*) FROM stacks JOIN locations ON locations.id = "
        query += "location_id WHERE stacks.run_id <> locations.run_id"
        assert database.one(query) == (0,)
