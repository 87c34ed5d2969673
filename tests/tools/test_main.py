# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run pfmon on a kernel without perfmon."""

from __future__ import annotations

import os
import subprocess
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


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"\x1b[2J", "\\x1b[2J"),
        (b"a\nb\t\x7f", "a\\x0ab\\x09\\x7f"),
        (b"\xc2\x9b\xc2\xa0", "\\xc2\\x9b\xa0"),
        ("gr\xf6\xdfe \u20ac \U0001f600".encode(), "gr\xf6\xdfe \u20ac \U0001f600"),
        (b"caf\xe9 \xf0\x9f\x98", "caf\\xe9 \\xf0\\x9f\\x98"),
        (b"\xff\xc0\x9b\xed", "\\xff\\xc0\\x9b\\xed"),
    ],
)
def test_messages_have_no_control_characters(
    pfmon: Pfmon, name: bytes, shown: str
) -> None:
    words = [bytes(pfmon.program), b"-e", b"nothing::" + name, b"true"]
    said = subprocess.run(words, stderr=-1, check=False).stderr.decode()
    assert shown in said


def test_closed_standard_output_is_reported(pfmon: Pfmon) -> None:
    closed = ["sh", "-c", f"exec {pfmon.program} --version >&-"]
    run = subprocess.run(closed, stderr=-1, text=True, check=False)
    assert run.returncode == ERROR and "standard output" in run.stderr
