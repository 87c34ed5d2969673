# SPDX-License-Identifier: MIT OR GPL-2.0
"""Skip the tests of the packages if they passed before with the same inputs.

The inputs are the sources of the packages, these tests, and the versions of the
machines' packages. `make check-all` skips nothing.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import bare_machines
import cache
import packages
import programs
import pytest
import roots
import source_tree
from boot import ROOT

# Tests that the life of the packages depends on; no package contains other tests.
TESTS = (
    *("tests/packages/", "tests/vm/boot.py", "tests/vm/programs.py"),
    *("tests/style/pages.py", "tests/conftest.py"),
)
# Packages that machines install during the test, and those that run the machines.
INSTALLED = (
    *("dkms", "gcc", "debhelper", "lintian", "python3-numpy"),
    *("linux-headers-cloud-amd64", "linux-image-cloud-amd64"),
)
EMULATOR = "qemu-system-x86"
# Files whose tests need no machine.
ALWAYS = ("test_archives", "test_tutorial")
REASON = "the packages passed before with the same sources, tests and machines"
KEY = pytest.StashKey[Path | None]()


def _files() -> list[str]:
    """Return the names of the files that the packages depend on."""
    return [
        name
        for name in sorted(source_tree.names(ROOT))
        if name.startswith(TESTS) or not name.startswith("tests/")
    ]


def _passed() -> Path | None:
    """Return the file that exists if all tests passed with these inputs."""
    digest = hashlib.sha256()
    try:
        for release, source in bare_machines.SOURCES.items():
            offer = packages.Offer(packages.native(), source)
            offered = packages.offered(offer, list(INSTALLED))
            digest.update(f"{bare_machines.root(release).name}{offered}\0".encode())
    except roots.ERRORS:
        return None
    digest.update(f"{packages.installed_version(EMULATOR)}\0".encode())
    for name in _files():
        content, mode = (ROOT / name).read_bytes(), (ROOT / name).stat().st_mode
        digest.update(f"{name}\0{mode & 0o111}\0{len(content)}\0".encode() + content)
    return cache.root() / "passed" / f"packages-{digest.hexdigest()[:16]}"


def _lives(session: pytest.Session) -> list[pytest.Item]:
    here = Path(__file__).parent
    return [
        item
        for item in session.items
        if item.path.parent == here and item.path.stem not in ALWAYS
    ]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Skip the tests that passed before."""
    lives = _lives(session)
    passed = _passed() if lives else None
    session.stash[KEY] = passed
    if passed and passed.exists() and not programs.ALL:
        for item in lives:
            item.add_marker(pytest.mark.skip(reason=REASON))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Record that all tests have passed, unless some were left out."""
    passed = session.stash.get(KEY, None)
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    whole = not any(reporter.stats.get(end) for end in ("skipped", "deselected"))
    if passed and whole and exitstatus == pytest.ExitCode.OK and _is_all(session):
        passed.parent.mkdir(parents=True, exist_ok=True)
        passed.touch()


def _is_all(session: pytest.Session) -> bool:
    """Tell whether all test files were selected."""
    there = set(Path(__file__).parent.glob("test_*.py"))
    return there <= {item.path for item in session.items}
