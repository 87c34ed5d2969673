# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write database rows for samples and for locations."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from helpers.readers import opened
from helpers.stacks_capture import stack_capture
from pfmparse.exports.sql_database import Sqlite
from pfmparse.exports.sql_rows import LocationRows, SampleRows
from pfmparse.exports.sql_run import Run


def kept(tmp_path: Path, kind: type[SampleRows] | type[LocationRows]) -> list[Any]:
    """Return sums and row counts by event, thread, location and stack."""
    with closing(Sqlite(tmp_path / "x.db")) as database:
        database.prepare()
        source = opened(stack_capture())
        rows = kind(Run(source, database))
        for batch in source.batches():
            rows.add(batch)
        rows.close()
        query = (
            "SELECT event_id, thread_id, location_id, stack_id, SUM(count),"
            " SUM(period), COUNT(*), COUNT(time_ns) FROM samples"
            " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
        )
        return list(database.run(query).fetchall())


def test_location_rows_sum_the_sample_rows(tmp_path: Path) -> None:
    samples, locations = kept(tmp_path, SampleRows), kept(tmp_path, LocationRows)
    assert [row[:6] for row in samples] == [row[:6] for row in locations]
    assert [row[4:] for row in samples] == [
        *((6, 6000, 6, 6), (1, 1000, 1, 1), (3, 3000, 3, 3)),
    ]
    assert [row[6:] for row in locations] == [(1, 0)] * 3
