# SPDX-License-Identifier: MIT OR GPL-2.0
"""Makes the parsers importable, and writes what tests of commands read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "parsers"))

from helpers import three_samples  # noqa: E402


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
