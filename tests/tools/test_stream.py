# SPDX-License-Identifier: MIT OR GPL-2.0
"""Record a stream from a format's device."""

from __future__ import annotations

from device import LONG, SAMPLES, STREAM, Device, packed


def test_whole_stream_is_recorded(device: Device) -> None:
    recorded = device.record(STREAM, STREAM)
    assert recorded.stream() == packed(STREAM) * 2
    assert recorded.totals == f"{2 * SAMPLES} 0"


def test_long_stream_is_recorded(device: Device) -> None:
    recorded = device.record(STREAM * LONG)
    assert recorded.stream() == packed(STREAM) * LONG
    assert recorded.totals == f"{LONG * SAMPLES} 0"


def test_empty_stream_writes_no_chunk(device: Device) -> None:
    recorded = device.record()
    assert recorded.chunks == []
    assert recorded.totals == "0 0"


def test_missing_stream_device_is_reported(device: Device) -> None:
    (device.directory / "device").unlink()
    run = device.run()
    assert run.returncode == 1
    assert "there is no /dev/perfmon-oprofile" in run.stderr
