# SPDX-License-Identifier: MIT OR GPL-2.0
"""The tables of the database for captures (docs/exports.md).

Databases have no unsigned integers, so kernel addresses are stored as negative numbers.
Samples have no foreign keys, because the database would check them slowly. Foreign keys
are not needed, because all rows of a capture are inserted in one transaction.
"""

from __future__ import annotations

VERSION = 1

# {id} is the type of the column "id", which differs between databases.
TABLES = """
CREATE TABLE pfmparse_schema (version INTEGER NOT NULL);

CREATE TABLE hosts (
    id {id},
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE runs (
    id {id},
    host_id BIGINT NOT NULL REFERENCES hosts (id),
    identity TEXT NOT NULL UNIQUE,
    file TEXT NOT NULL,
    tool TEXT NOT NULL,
    command TEXT,
    mode TEXT NOT NULL,
    arch TEXT NOT NULL,
    kernel TEXT NOT NULL,
    format TEXT NOT NULL,
    start_ns BIGINT NOT NULL,
    kept TEXT NOT NULL,
    samples BIGINT NOT NULL,
    lost BIGINT,
    truncated INTEGER NOT NULL
);

CREATE TABLE events (
    id {id},
    run_id BIGINT NOT NULL REFERENCES runs (id),
    name TEXT NOT NULL,
    event_set INTEGER,
    pmd INTEGER,
    period BIGINT NOT NULL
);

CREATE TABLE threads (
    id {id},
    run_id BIGINT NOT NULL REFERENCES runs (id),
    pid BIGINT,
    tid BIGINT,
    name TEXT NOT NULL
);

CREATE TABLE objects (
    id {id},
    path TEXT NOT NULL UNIQUE
);

CREATE TABLE functions (
    id {id},
    object_id BIGINT NOT NULL REFERENCES objects (id),
    name TEXT NOT NULL,
    UNIQUE (object_id, name)
);

CREATE TABLE locations (
    id {id},
    run_id BIGINT NOT NULL REFERENCES runs (id),
    function_id BIGINT NOT NULL REFERENCES functions (id),
    address BIGINT NOT NULL,
    line TEXT
);

CREATE TABLE stacks (
    id {id},
    run_id BIGINT NOT NULL REFERENCES runs (id),
    parent_id BIGINT,
    location_id BIGINT NOT NULL
);

CREATE TABLE samples (
    id {id},
    run_id BIGINT NOT NULL,
    event_id BIGINT NOT NULL,
    thread_id BIGINT NOT NULL,
    location_id BIGINT NOT NULL,
    stack_id BIGINT,
    count BIGINT NOT NULL,
    period BIGINT NOT NULL,
    time_ns BIGINT,
    cpu INTEGER,
    data_address BIGINT,
    latency BIGINT,
    data_source BIGINT
);

CREATE TABLE pmd_values (
    sample_id BIGINT NOT NULL,
    pmd INTEGER NOT NULL,
    value BIGINT NOT NULL
);

CREATE INDEX runs_of_hosts ON runs (host_id);
CREATE INDEX events_of_runs ON events (run_id);
CREATE INDEX threads_of_runs ON threads (run_id);
CREATE INDEX functions_by_name ON functions (name);
CREATE INDEX locations_of_runs ON locations (run_id);
CREATE INDEX locations_of_functions ON locations (function_id);
CREATE INDEX stacks_of_runs ON stacks (run_id);
CREATE INDEX samples_of_runs ON samples (run_id);
CREATE INDEX values_of_samples ON pmd_values (sample_id);

CREATE VIEW by_function AS
SELECT runs.id AS run_id, hosts.name AS host, runs.file AS file, events.name AS event,
       CASE functions.name WHEN '' THEN objects.path ELSE functions.name END
           AS function,
       objects.path AS object, SUM(sums.count) AS samples, SUM(sums.period) AS period
FROM (SELECT run_id, event_id, location_id,
             SUM(count) AS count, SUM(period) AS period
      FROM samples GROUP BY run_id, event_id, location_id) AS sums
JOIN runs ON runs.id = sums.run_id
JOIN hosts ON hosts.id = runs.host_id
JOIN events ON events.id = sums.event_id
JOIN locations ON locations.id = sums.location_id
JOIN functions ON functions.id = locations.function_id
JOIN objects ON objects.id = functions.object_id
GROUP BY runs.id, hosts.name, runs.file, events.name, functions.name, objects.path;

CREATE VIEW top_functions AS
SELECT function, object, SUM(samples) AS samples,
       100.0 * SUM(samples) / (SELECT SUM(count) FROM samples) AS percent
FROM by_function
GROUP BY function, object
ORDER BY samples DESC, function, object;
"""


def statements(own_id: str) -> list[str]:
    """Returns the statements that create all tables; ``own_id`` is the type of "id"."""
    parts = TABLES.format(id=own_id).split(";")
    return [part.strip() for part in parts if part.strip()]
