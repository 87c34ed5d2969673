# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the 32-bit PEBS format (perfmon_pebs32_smpl.h)."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from helpers.cli import told
from helpers.readers import decode_buffer
from helpers.writers import UUID_PEBS32, pebs, pebs_capture, session


def test_pebs32_registers_have_32_bits() -> None:
    top = (1 << 32) - 1
    data = pebs([{"eax": top, "esp": 1}], UUID_PEBS32, 40)
    (sample,), problem = decode_buffer(data, session(uuid=UUID_PEBS32))
    assert list(sample)[:3] == ["eflags", "ip", "eax"] and "r8" not in sample
    assert (sample["eax"], sample["esp"], problem) == (top, 1, None)


@pytest.mark.parametrize("flags,imprecise", [(0, False), (1, True), (2, False)])
def test_info_decodes_the_argument(
    flags: int, imprecise: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sess = session(uuid=UUID_PEBS32)
    sess["format"]["arg"] = struct.pack("<IIIQI16x", 4096, 10, flags, 99, 0).hex()
    path = tmp_path / "x.pfm"
    path.write_bytes(pebs_capture([], 40, sess))
    assert told(capsys, "info", str(path))["format"]["arg"] == {
        "buf_size": 4096,
        "intr_thres": 10,
        "flags": flags,
        "cnt_reset": 99,
        "imprecise": imprecise,
    }
