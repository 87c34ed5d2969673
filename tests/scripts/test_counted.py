# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/counted.py."""

from __future__ import annotations

from pathlib import Path

import counted
import pytest


def test_operations_are_counted_if_requested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "counted"
    monkeypatch.setenv("PERFMON_COUNTED", str(file))
    counted.count(counted.GUEST)
    counted.count(counted.KERNEL)
    monkeypatch.setenv("PERFMON_COUNTED", "")
    counted.count(counted.MISREAD)
    monkeypatch.delenv("PERFMON_COUNTED")
    counted.count(counted.MISREAD)
    assert file.read_text() == "guest\nkernel\n"
