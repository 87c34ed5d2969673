# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the files in which the OProfile bridge lists cookies and lost samples."""

from __future__ import annotations

import shutil
import subprocess

from device import SAMPLES, STREAM, Device
from sessions import Printer


def test_oprofile_has_no_argument(printer: Printer) -> None:
    assert printer.arg("--smpl-module=oprofile") == b""


def test_cookies_follow_the_chunk_of_first_use(device: Device) -> None:
    shutil.copy("/bin/true", device.files / "7777")
    (device.files / "8888").write_bytes(b"no ELF file")
    first, second = device.record(STREAM, STREAM).cookies()
    assert first["cookie"] == 7777
    assert first["path"] == str(device.files / "7777")
    assert second == {
        "cookie": 8888,
        "path": str(device.files / "8888"),
        "build_id": None,
        "size": len(b"no ELF file"),
        "mtime_ns": (device.files / "8888").stat().st_mtime_ns,
    }
    notes = subprocess.run(
        ["readelf", "-n", "/bin/true"], capture_output=True, text=True, check=True
    ).stdout
    assert f"Build ID: {first['build_id']}\n" in notes


def test_cookie_of_missing_file_is_omitted(device: Device) -> None:
    (device.files / "8888").write_bytes(b"no ELF file")
    (told,) = device.record(STREAM).cookies()
    assert told["cookie"] == 8888


def test_oprofile_loss_before_session_is_excluded(device: Device) -> None:
    for name, count in {
        "sample_lost_overflow": 5,
        "sample_lost_no_mm": 3,
        "event_lost_overflow": 2,
        "sample_received": 100,
        "bt_lost_no_mapping": 50,
    }.items():
        (device.stats / name).write_text(f"{count}\n", "ascii")
    changes = [
        f"stat {device.uuid}/stats/{change}"
        for change in (
            *("sample_lost_overflow 25", "sample_received 200"),
            "bt_lost_no_mapping 60",
        )
    ]
    recorded = device.record(STREAM, *changes)
    assert recorded.totals == f"{SAMPLES} 20"
