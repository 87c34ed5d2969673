# SPDX-License-Identifier: MIT OR GPL-2.0
"""Record unknown formats whose records are read from a device."""

from __future__ import annotations

from pathlib import Path

import pytest
from device import Device, packed

UUID = "0f0e0d0c-0b0a-4908-8706-050403020100"
RECORD = [1, 2, 3, 4, 5]  # the words of a record


@pytest.fixture(name="records")
def fixture_records(programs: Path, tmp_path: Path) -> Device:
    device = Device(programs / "stream_reader", tmp_path, UUID)
    for name, text in {"device": "pfm_mine", "record_size": 40, "lost": 7}.items():
        (device.format / name).write_text(f"{text}\n", "ascii")
    return device


def test_records_are_saved_and_counted(records: Device) -> None:
    recorded = records.record(RECORD * 2, RECORD)
    assert recorded.stream() == packed(RECORD * 3)
    assert recorded.totals == "3 0"


def test_records_lost_before_session_are_excluded(records: Device) -> None:
    assert records.record(RECORD, f"stat {UUID}/lost 30").totals == "1 23"


def test_format_without_device_saves_no_records(records: Device) -> None:
    (records.format / "device").unlink()
    recorded = records.record()
    assert recorded.chunks == []
    assert recorded.totals == "0 0"


def test_missing_records_device_is_reported(records: Device) -> None:
    (records.directory / "device").unlink()
    run = records.run()
    assert run.returncode == 1
    assert "there is no /dev/pfm_mine" in run.stderr
