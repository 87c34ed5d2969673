# SPDX-License-Identifier: MIT OR GPL-2.0
"""Define fixtures for tests of commands, and make hypothesis deterministic."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import three_samples
from hypothesis import HealthCheck, settings

# Results must not depend on chance or on the machine's load.
settings.register_profile(
    "here",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("here")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the path of a complete capture of three samples in the default format."""
    path = tmp_path / "x.pfm"
    path.write_bytes(three_samples.whole_capture())
    return str(path)


@pytest.fixture
def nway_file(tmp_path: Path) -> str:
    """Return the path of an n-way capture of three samples with several losses."""
    path = tmp_path / "nway.pfm"
    path.write_bytes(three_samples.nway_capture())
    return str(path)
