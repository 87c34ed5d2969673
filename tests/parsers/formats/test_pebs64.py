# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the 64-bit PEBS format and its record sizes (perfmon_pebs64_smpl.h)."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from helpers.cli import told
from helpers.readers import Json, decode_buffer
from helpers.writers import UUID_PEBS64, pebs, pebs_capture, session


@pytest.mark.parametrize(
    "size,has,lacks",
    [
        (144, "r15", "status"),
        (176, "lat", "real_ip"),
        (192, "tsx_tuning", "tsc"),
        (200, "tsc", "none"),
    ],
)
def test_pebs64_record_size_selects_the_layout(size: int, has: str, lacks: str) -> None:
    data = pebs([{has: 7}], UUID_PEBS64, size)
    (sample,), problem = decode_buffer(data, session(uuid=UUID_PEBS64))
    assert (sample[has], lacks in sample, problem) == (7, False, None)


def argument(flags: int) -> bytes:
    """Build an argument of the format."""
    return struct.pack("<QQIIQII16x", 8192, 20, flags, 0, 77, 0, 0)


def decoded(flags: int, imprecise: bool, record_size: int) -> Json:
    """Return what `pfmparse info` prints for a format's argument."""
    values = {"buf_size": 8192, "intr_thres": 20, "flags": flags, "cnt_reset": 77}
    return {**values, "imprecise": imprecise, "record_size": record_size}


@pytest.mark.parametrize(
    "arg,expected",
    [
        (argument(0x00), decoded(0x00, False, 144)),
        (argument(0x11), decoded(0x11, True, 176)),
        (argument(0x20), decoded(0x20, False, 192)),
        (argument(0x30), decoded(0x30, False, 200)),
        (b"short", None),
    ],
)
def test_info_decodes_the_argument(
    arg: bytes,
    expected: Json | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sess = session(uuid=UUID_PEBS64)
    sess["format"]["arg"] = arg.hex()
    path = tmp_path / "x.pfm"
    path.write_bytes(pebs_capture([], 144, sess))
    assert told(capsys, "info", str(path))["format"]["arg"] == expected
