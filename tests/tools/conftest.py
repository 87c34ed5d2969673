# SPDX-License-Identifier: MIT OR GPL-2.0
"""Define fixtures that several test files use."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from counts import Counts
from device import Device
from encoder import Encoder
from pfmon import Pfmon
from saver import Saver, saver_of
from sessions import Printer


@pytest.fixture(name="save")
def fixture_save(programs: Path, tmp_path: Path) -> Saver:
    return saver_of(programs / "buffer_saver", tmp_path)


@pytest.fixture(scope="session", name="printer")
def fixture_printer(programs: Path) -> Printer:
    return Printer(programs / "session_printer")


@pytest.fixture(scope="session", name="pfmon")
def fixture_pfmon(programs: Path) -> Pfmon:
    return Pfmon(programs / "pfmon")


@pytest.fixture(name="encoder")
def fixture_encoder(programs: Path, tmp_path: Path) -> Encoder:
    return Encoder(programs / "event_encoder", tmp_path)


@pytest.fixture(name="counts")
def fixture_counts(programs: Path) -> Counts:
    return Counts(programs / "count_printer")


@pytest.fixture(name="device")
def fixture_device(programs: Path, tmp_path: Path) -> Device:
    return Device(programs / "stream_reader", tmp_path)


@pytest.fixture(name="cat")
def fixture_cat(tmp_path: Path) -> Path:
    """Return a copy of cat that tests can rename and delete."""
    return Path(shutil.copy("/bin/cat", tmp_path / "cat"))
