# SPDX-License-Identifier: MIT OR GPL-2.0
"""Skip the package tests that have passed before with the same inputs."""

from __future__ import annotations

from pathlib import Path

import inputs
import passed
import pytest
import roots

# Test files that need no machine.
ALWAYS = ("test_archives", "test_inputs", "test_tutorial")
REASON = "the packages passed before with the same sources, tests and machines"
HERE = Path(__file__).parent


def _by_record(items: list[pytest.Item]) -> passed.Records:
    """Return the tests that need machines, grouped by the record of their inputs."""
    need = [i for i in items if i.path.parent == HERE and i.path.stem not in ALWAYS]
    found: passed.Records = {}
    try:
        machines = inputs.machines() if need else ""
    except roots.ERRORS:
        return {}
    for item in need:
        named = inputs.named_by(item.name.partition("[")[0])
        found.setdefault(inputs.record(machines, named), []).append(item)
    return found


def pytest_collection_finish(session: pytest.Session) -> None:
    """Skip the tests that have passed before with the same inputs."""
    passed.skip(session, _by_record(session.items), REASON)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Record inputs if all tests that depend on them have passed."""
    passed.remember(session, HERE)
