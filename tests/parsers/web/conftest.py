# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build captures for tests of the served page."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest
from helpers import every_format, programs
from helpers.served import session_of
from helpers.stacks_capture import stack_capture
from pfmparse.web.session import Session


@pytest.fixture(scope="session")
def captures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write a capture of each format; return the paths by the format's name."""
    into = tmp_path_factory.mktemp("captures")
    return every_format.write(programs.compiled(into / "hotspots"), into)


@pytest.fixture
def stacks(tmp_path: Path) -> Path:
    """Return the path of a capture of call stacks."""
    path = tmp_path / "stacks.pfm"
    path.write_bytes(stack_capture())
    return path


@pytest.fixture
def session(stacks: Path) -> Iterator[Session]:
    """Open the capture of call stacks."""
    with session_of(stacks) as found:
        yield found
