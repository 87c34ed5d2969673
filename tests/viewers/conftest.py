# SPDX-License-Identifier: MIT OR GPL-2.0
"""Define fixtures: captures of every format, and a function that runs Node.js."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from helpers import every_format, programs
from viewers import NODE_MODULES, Node

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def captures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a capture of each format, by name."""
    directory = tmp_path_factory.mktemp("captures")
    return every_format.write(programs.compiled(directory / "hotspots"), directory)


@pytest.fixture(scope="session")
def node() -> Node:
    """Return a function that runs a script with npm's packages."""

    def run(script: Path, *arguments: str, **environment: str) -> str:
        done = subprocess.run(
            ["node", script, *arguments],
            env={**os.environ, "NODE_PATH": str(NODE_MODULES), **environment},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    return run
