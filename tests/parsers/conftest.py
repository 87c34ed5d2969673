# SPDX-License-Identifier: MIT OR GPL-2.0
"""Writes what tests of commands read; generated cases are the same in each run."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import three_samples
from hypothesis import HealthCheck, settings

# Neither chance nor a busy machine decides.
settings.register_profile(
    "here",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("here")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A complete capture of three samples in the default format."""
    path = tmp_path / "x.pfm"
    path.write_bytes(three_samples.whole_capture())
    return str(path)


@pytest.fixture
def nway_file(tmp_path: Path) -> str:
    """A capture of three samples in the n-way format, some of which were lost."""
    path = tmp_path / "nway.pfm"
    path.write_bytes(three_samples.nway_capture())
    return str(path)
