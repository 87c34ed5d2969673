# SPDX-License-Identifier: MIT OR GPL-2.0
"""Skip tests that have passed before with the same inputs.

A conftest.py determines the inputs: see those of tests/packages and tests/sdk.
`make check-all` skips none of these tests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import cache
import programs
import pytest
import source_tree
from boot import ROOT

# The file that exists if tests have passed with their present inputs, and these tests.
Records = dict[Path, list[pytest.Item]]
KEY = pytest.StashKey[Records]()


def record(
    kind: str,
    on: str,
    unused: tuple[str, ...],
    used: tuple[str, ...],
    content: Callable[[str], bytes] = lambda name: (ROOT / name).read_bytes(),
) -> Path:
    """Return the file that exists if tests have passed with these inputs.

    kind: which tests. on: the versions of what the tests use of this machine. unused:
    how the names of files begin on which the tests do not depend. used: how the names
    of files begin on which they depend nevertheless. content: a function that returns
    the part of a file that the tests depend on.
    """
    digest = hashlib.sha256(f"{on}\0".encode())
    for name in sorted(source_tree.names(ROOT)):
        if name.startswith(unused) and not name.startswith(used):
            continue
        mode, part = (ROOT / name).stat().st_mode & 0o111, content(name)
        digest.update(f"{name}\0{mode}\0{len(part)}\0".encode() + part)
    return cache.root() / "passed" / f"{kind}-{digest.hexdigest()[:16]}"


def skip(session: pytest.Session, records: Records, reason: str) -> None:
    """Skip the tests that have passed before with the same inputs."""
    session.stash[KEY] = records
    for file, items in records.items():
        if file.exists() and not programs.ALL:
            for item in items:
                item.add_marker(pytest.mark.skip(reason=reason))


def remember(session: pytest.Session, folder: Path) -> None:
    """Record inputs if all tests that depend on them have passed.

    folder: the folder of these tests, all of which must have been selected.
    """
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    ended = {report.nodeid for report in reporter.stats.get("passed", [])}
    selected = {item.path for item in session.items}
    if reporter.stats.get("deselected") or not selected.issuperset(
        folder.glob("test_*.py")
    ):
        return
    for file, items in session.stash.get(KEY, {}).items():
        if ended.issuperset(item.nodeid for item in items):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
