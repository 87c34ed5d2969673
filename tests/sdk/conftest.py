# SPDX-License-Identifier: MIT OR GPL-2.0
"""Define fixtures: an installed SDK, and folders of out-of-tree formats."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import kernel_source
import pytest
from installed_sdk import Sdk

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ROOT / "tests/sdk/formats"


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
