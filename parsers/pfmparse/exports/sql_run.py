# SPDX-License-Identifier: MIT OR GPL-2.0
"""The rows that a capture adds to a database, except the samples' own rows."""

from __future__ import annotations

import shlex
from typing import Optional

import numpy as np

from ..analysis.inputs import Input
from ..analysis.profile import ThreadIds
from ..text import ESCAPED
from .sql_database import Database, Values

TABLES = ("events", "threads", "locations", "stacks", "samples")
GREATEST = (1 << 63) - 1  # the greatest integer in databases


class Run:
    """Writes the rows that describe a capture, and assigns their IDs.

    An object with the ID n in the capture gets the ID ``bases[table] + n`` in the
    database.
    """

    def __init__(self, source: Input, database: Database) -> None:
        self.source = source
        self.database = database
        self.threads = ThreadIds(source)
        self.id = database.next_id("runs")
        self.bases = {table: database.next_id(table) for table in TABLES}
        self._objects: dict[str, int] = {}
        self._functions: dict[tuple[str, str], int] = {}

    def describe(self, identity: str, kept: str) -> None:
        """Adds the rows to which samples refer. Call this after reading all samples.

        ``kept`` says whether there is a row per sample or per location.
        """
        self._add_run(identity, kept)
        self._add_events()
        self._add_threads()
        self._add_locations()
        self._add_stacks()

    def _add_run(self, identity: str, kept: str) -> None:
        source, session = self.source, self.source.recording.session
        command = None if session.command is None else shlex.join(session.command)
        columns: dict[str, object] = {
            "id": self.id,
            "host_id": self._number("hosts", {"name": source.host}),
            "identity": identity,
            "file": source.file,
            "tool": session.tool,
            "command": command,
            "mode": session.mode,
            "arch": session.machine.arch,
            "kernel": session.machine.release,
            "format": source.recording.format.name,
            "start_ns": session.start_ns,
            "kept": kept,
            "samples": source.selected,
            "lost": source.recording.lost,
            "truncated": int(source.recording.truncated),
        }
        self.database.insert("runs", 1, {n: [_plain(v)] for n, v in columns.items()})

    def _add_events(self) -> None:
        events = self.source.events.all
        columns: dict[str, list[object]] = {
            "name": [event.name for event in events],
            "event_set": [event.set for event in events],
            "pmd": [event.pmd for event in events],
            "period": [event.period for event in events],
        }
        self._insert("events", len(events), columns)

    def _add_threads(self) -> None:
        threads = self.threads.all()
        columns: dict[str, list[object]] = {
            "pid": [thread.process for thread in threads],
            "tid": [thread.thread for thread in threads],
            "name": [thread.name for thread in threads],
        }
        self._insert("threads", len(threads), columns)

    def _add_locations(self) -> None:
        places = self.source.places
        locations = places.locations()
        columns: dict[str, list[object]] = {
            "function_id": [self._function(at.object, at.symbol) for at in locations],
            "address": places.addresses().view(np.int64).tolist(),
            "line": [location.line for location in locations],
        }
        self._insert("locations", len(locations), columns)

    def _add_stacks(self) -> None:
        stacks, bases = self.source.stacks, self.bases
        first, places = bases["stacks"], bases["locations"]
        columns: dict[str, list[object]] = {
            "parent_id": [
                None if parent < 0 else parent + first
                for parent in stacks.parents().tolist()
            ],
            "location_id": (stacks.places() + places).tolist(),
        }
        self._insert("stacks", len(stacks), columns)

    def _insert(self, table: str, count: int, columns: dict[str, list[object]]) -> None:
        """Adds rows, with IDs from the table's base on."""
        first = self.bases[table]
        ids = np.arange(first, first + count)
        all_columns: dict[str, Values] = {"id": ids, "run_id": self.id}
        all_columns |= {name: list(map(_plain, of)) for name, of in columns.items()}
        self.database.insert(table, count, all_columns)

    def _function(self, path: str, symbol: Optional[str]) -> int:
        """Returns the ID of a function; functions are shared by all runs."""
        key = path, symbol or ""
        if key not in self._functions:
            at = self._objects.get(path)
            if at is None:
                at = self._objects[path] = self._number("objects", {"path": path})
            values = {"object_id": at, "name": key[1]}
            self._functions[key] = self._number("functions", values)
        return self._functions[key]

    def _number(self, table: str, values: dict[str, object]) -> int:
        """Returns the ID of the row with these values; adds a missing row."""
        plain = {name: _plain(value) for name, value in values.items()}
        where = " AND ".join(f"{name} = ?" for name in plain)
        query = f"SELECT id FROM {table} WHERE {where}"
        found = self.database.one(query, *plain.values())
        if found is not None:
            return int(found[0])
        number = self.database.next_id(table)
        columns = {name: [value] for name, value in plain.items()}
        self.database.insert(table, 1, {"id": [number], **columns})
        return number


def _plain(value: object) -> object:
    """Converts a value to one that databases can store."""
    if isinstance(value, int):
        return min(value, GREATEST)
    if isinstance(value, str):
        # Names of files and programs may contain bytes that are not valid UTF-8.
        return value.replace("\0", " ").encode("utf-8", ESCAPED).decode()
    return value
