# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test passed.py with a small folder of tests, in a pytest of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from boot import ROOT

CONFTEST = """
from pathlib import Path
import passed
HERE = Path(__file__).parent
def pytest_collection_finish(session):
    passed.skip(session, {HERE / "record": session.items}, "passed before")
def pytest_sessionfinish(session):
    passed.remember(session, HERE)
"""
TESTS = """
import os
def test_a(): pass
def test_b(): assert "BROKEN" not in os.environ
"""


@pytest.fixture(name="folder")
def fixture_folder(tmp_path: Path) -> Path:
    """Return a folder with two tests, and a configuration that uses passed.py."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "test_other.py").write_text("def test_c(): pass\n")
    return tmp_path


def run(folder: Path, *words: str, **environment: str) -> dict[str, int]:
    """Run pytest in a folder; return the number of tests by outcome."""
    paths = [ROOT / name for name in ("tests/checks", "tests/vm", "scripts")]
    paths.append(ROOT / "scripts/vm")
    settings = {"PYTHONPATH": ":".join(map(str, paths)), **environment}
    inherited = {key: value for key, value in os.environ.items() if key != "CHECK_ALL"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={**inherited, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"(\d+) (passed|skipped|failed)", done.stdout)
    return {outcome: int(count) for count, outcome in found}


def test_tests_that_passed_are_skipped(folder: Path) -> None:
    assert run(folder) == {"passed": 3}
    assert run(folder) == {"skipped": 3}
    assert run(folder, CHECK_ALL="1") == {"passed": 3}


@pytest.mark.parametrize(
    ("words", "environment", "ended"),
    [
        (["-k", "a or b"], {}, {"passed": 2}),
        (["test_it.py"], {}, {"passed": 2}),
        ([], {"BROKEN": "1"}, {"passed": 2, "failed": 1}),
    ],
)
def test_incomplete_run_is_not_recorded(
    folder: Path, words: list[str], environment: dict[str, str], ended: dict[str, int]
) -> None:
    assert run(folder, *words, **environment) == ended
    assert run(folder) == {"passed": 3}
