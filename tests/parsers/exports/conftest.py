# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build captures of every format for tests of exports."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import every_format, programs


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> programs.Program:
    """Compile the sampled program."""
    return programs.compiled(tmp_path_factory.mktemp("program") / "hotspots")


@pytest.fixture(scope="session")
def captures(
    program: programs.Program, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Write a capture of each format; return the paths by the format's name."""
    return every_format.write(program, tmp_path_factory.mktemp("captures"))
