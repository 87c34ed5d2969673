# SPDX-License-Identifier: MIT OR GPL-2.0
"""What pfmon does without perfmon in the kernel."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pfmon import ERROR, SAMPLING, Pfmon, without_kernel


def test_version(pfmon: Pfmon) -> None:
    assert pfmon("--version").stdout == "pfmon 0.6\n"


@pytest.mark.parametrize(
    "arguments", [("-e", "cpu-clock"), SAMPLING, ("-e", "cpu-clock", "--system-wide")]
)
def test_missing_perfmon_says_what_to_load(
    pfmon: Pfmon,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    without_kernel()
    monkeypatch.chdir(tmp_path)
    run = pfmon(*arguments, "true")
    assert run.returncode == ERROR
    assert "insmod perfmon.ko" in run.stderr
    assert os.listdir(tmp_path) == []


def test_list_formats_without_perfmon_says_what_to_load(pfmon: Pfmon) -> None:
    without_kernel()
    run = pfmon("--list-formats")
    assert run.returncode == ERROR
    assert "insmod perfmon.ko" in run.stderr
