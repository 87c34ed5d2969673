# SPDX-License-Identifier: MIT OR GPL-2.0
"""Skip the package tests that have passed before with the same inputs.

`make check-all` skips none of them.
"""

from __future__ import annotations

from pathlib import Path

import inputs
import programs
import pytest
import roots

# Test files that need no machine.
ALWAYS = ("test_archives", "test_inputs", "test_tutorial")
REASON = "the packages passed before with the same sources, tests and machines"
KEY = pytest.StashKey[dict[Path, list[pytest.Item]]]()


def _by_record(items: list[pytest.Item]) -> dict[Path, list[pytest.Item]]:
    """Return the tests that need machines, grouped by the record of their inputs."""
    here = Path(__file__).parent
    need = [i for i in items if i.path.parent == here and i.path.stem not in ALWAYS]
    found: dict[Path, list[pytest.Item]] = {}
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
    session.stash[KEY] = _by_record(session.items)
    for record, items in session.stash[KEY].items():
        if record.exists() and not programs.ALL:
            for item in items:
                item.add_marker(pytest.mark.skip(reason=REASON))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Record inputs if all tests that depend on them have passed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    ended = {report.nodeid for report in reporter.stats.get("passed", [])}
    if reporter.stats.get("deselected") or not _is_all(session):
        return
    for record, items in session.stash.get(KEY, {}).items():
        if ended.issuperset(item.nodeid for item in items):
            record.parent.mkdir(parents=True, exist_ok=True)
            record.touch()


def _is_all(session: pytest.Session) -> bool:
    """Return whether all test files were selected."""
    there = set(Path(__file__).parent.glob("test_*.py"))
    return there <= {item.path for item in session.items}
