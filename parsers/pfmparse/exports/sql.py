# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to a database, SQLite or PostgreSQL, which can contain many captures."""

from __future__ import annotations

import hashlib
from contextlib import closing

from ..analysis.inputs import Input
from ..analysis.rows import CARRIED
from ..analysis.weights import COUNT, PERIOD, aggregates
from ..formats.roles import Role
from ..symbols.location import Detail
from .interface import Export, ExportError, Job
from .sql_database import Database, Postgres, Sqlite
from .sql_rows import LocationRows, SampleRows
from .sql_run import Run
from .unsupported import noted

# Roles that cannot be stored if there is one row per location.
SINGLE = (Role.TIME, Role.CPU, Role.DATA_ADDRESS, Role.LATENCY, Role.DATA_SOURCE)


def write(job: Job) -> None:
    """Adds the captures to the database, all of them or none."""
    if job.weight not in (COUNT, PERIOD) and not _has_sums(job):
        raise ExportError(
            f"--weight {job.weight} is not available: not all inputs have sums of it; "
            "the rows always contain count and period"
        )
    with closing(_opened(job)) as database:
        database.prepare()
        for source in job.inputs:
            _add(job, source, database)
        job.check()
        database.commit()


def _has_sums(job: Job) -> bool:
    """Returns whether the formats of all inputs record sums of the weight."""
    firsts = (source.first() for source in job.inputs)
    return all(
        Role.SUM in aggregates(samples, job.weight)
        for samples in firsts
        if samples is not None
    )


def _opened(job: Job) -> Database:
    if job.dsn is None:
        return Sqlite(job.path)
    if str(job.path) != ".":
        raise ExportError("use either -o FILE or --dsn DSN, not both")
    return Postgres(job.dsn)


def _add(job: Job, source: Input, database: Database) -> None:
    """Adds a capture."""
    identity = _identity(source)
    query = "SELECT file FROM runs WHERE identity = ?"
    known = database.one(query, identity)
    if known is not None:
        text = f"{source.file} is already in the database as {known[0]}"
        raise ExportError(f"{text}: nothing was added")
    weight = COUNT if job.weight == PERIOD else job.weight
    run = Run(source, database)
    by_sample = job.rows == "sample"
    rows: SampleRows | LocationRows
    rows = SampleRows(run, weight) if by_sample else LocationRows(run, weight)
    carried = CARRIED if by_sample else CARRIED - frozenset(SINGLE)
    for batch in noted(job, source, carried, pmds=by_sample, losses=True, periods=True):
        if batch.samples.count:
            rows.add(batch)
    rows.close()
    if rows.limited:
        job.lack("counts and periods above 2^63 - 1, which are limited to that")
    run.describe(identity, job.rows)


def _identity(source: Input) -> str:
    """Returns a hash of session and first buffer, which identifies the capture."""
    again = source.recording.reopened()
    found = hashlib.sha256(again.source.session_text)
    for buffer in again.source.buffers():
        found.update(buffer.data)
        break
    return found.hexdigest()


EXPORT = Export(
    "sql", "a database, SQLite or PostgreSQL", write, Detail.LINE, appends=True
)
