# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the schema of exported databases."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

from helpers.cli import ROOT
from pfmparse.exports.sql_schema import VERSION, statements


def test_sql_schema_is_documented() -> None:
    with closing(sqlite3.connect(":memory:")) as link:
        for statement in statements("INTEGER PRIMARY KEY"):
            link.execute(statement)
        query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        names = [name for (name,) in link.execute(query)]
        columns = {
            name: {row[1] for row in link.execute(f"PRAGMA table_info({name})")}
            for name in names
        }
    page = (ROOT / "docs/exports.md").read_text()
    for name in names:
        assert re.search(rf"\b{name}\b", page), name
    for column in columns["samples"] | columns["functions"] | columns["stacks"]:
        assert f"`{column}`" in page, column
    assert f"version of the schema, which is {VERSION}." in page.replace("\n", " ")
