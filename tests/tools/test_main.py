# SPDX-License-Identifier: MIT OR GPL-2.0
"""pfmon without perfmon in the kernel."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pfmon import ERROR, SAMPLING, Pfmon, without_kernel

ROOT = Path(__file__).resolve().parents[2]


def test_version(pfmon: Pfmon) -> None:
    version = (ROOT / "VERSION").read_text()
    assert pfmon("--version").stdout == f"pfmon {version}"


@pytest.mark.parametrize(
    "arguments", [("-e", "cpu-clock"), SAMPLING, ("-e", "cpu-clock", "--system-wide")]
)
def test_missing_perfmon_message_names_module(
    pfmon: Pfmon,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    without_kernel()
    monkeypatch.chdir(tmp_path)
    run = pfmon(*arguments, "true")
    assert run.returncode == ERROR
    assert "perfmon is not loaded; as root: modprobe pfm_pmu_perf" in run.stderr
    assert os.listdir(tmp_path) == []


def test_list_formats_needs_perfmon(pfmon: Pfmon) -> None:
    without_kernel()
    run = pfmon("--list-formats")
    assert run.returncode == ERROR
    assert "modprobe pfm_pmu_perf" in run.stderr
