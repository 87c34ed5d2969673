# SPDX-License-Identifier: MIT OR GPL-2.0
"""Define fixtures: an installed SDK, and folders of out-of-tree formats.

Skip the tests of this folder that have passed before with the same inputs.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import kernel_source
import kernels
import passed
import pytest
from boot import ROOT
from installed_sdk import Sdk

HERE = Path(__file__).parent
FORMATS = HERE / "formats"
# Files that these tests depend on. The tests do not depend on the files of OTHER that
# are not in TESTS.
TESTS = (
    *("tests/sdk/", "tests/conftest.py", "tests/checks/passed.py"),
    *("tests/vm/boot.py", "tests/vm/programs.py"),
)
OTHER = ("docs/", "debian/", "tests/", "CHANGELOG.md", "CONTRIBUTING.md", "README.md")
REASON = "the SDK passed before with the same sources, tests, kernels and packages"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Skip the tests of this folder that have passed before with the same inputs."""
    items = [item for item in session.items if item.path.parent == HERE]
    try:
        records = {_record(): items} if items else {}
    except kernels.ERRORS:
        records = {}
    passed.skip(session, records, REASON)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Record the inputs if all tests of this folder have passed."""
    passed.remember(session, HERE)


def _record() -> Path:
    """Return the file that exists if the tests passed with the present inputs.

    The inputs are files of the tree, the kernels, and the packages of this machine.
    Raises one of kernels.ERRORS.
    """
    versions = [
        kernels.resolve(arch, series).version
        for arch in kernels.SUPPORTED
        for series in kernels.SUPPORTED[arch]
    ]
    installed = subprocess.check_output(["dpkg-query", "-W"], text=True)
    return passed.record("sdk", "\0".join([*versions, installed]), OTHER, TESTS)


@pytest.fixture(scope="session")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Sdk:
    """Install the SDK once for all tests; return it."""
    dest = tmp_path_factory.mktemp("sdk")
    subprocess.run(
        ["make", "-s", "install", f"DESTDIR={dest}", "PREFIX=/usr"],
        cwd=ROOT,
        env=kernel_source.build_environment(),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return Sdk(dest / "usr")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the folder with the test formats."""
    copy = tmp_path / "formats"
    shutil.copytree(FORMATS, copy)
    return copy
