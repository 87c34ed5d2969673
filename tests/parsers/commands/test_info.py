# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the info command."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from helpers.cli import printed, run, told
from helpers.sample_capture import DONE
from helpers.three_samples import SETS, SUMMARY
from helpers.writers import (
    UUID_2_2,
    Sample,
    capture,
    farg,
    json_chunk,
    pmd,
    session,
    simple_capture,
    totals,
)


def test_info_json_describes_the_capture(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sess = session()
    assert told(capsys, "info", file) == {
        "format": {
            "name": "default",
            "uuid": UUID_2_2,
            "arg": {"buf_size": 65536, "buf_flags": 0},
            "parser": "pfmparse",
        },
        "argument_changes": [],
        "tool": sess["tool"],
        "command": sess["command"],
        "mode": "thread",
        "cgroups": [],
        "machine": sess["machine"],
        "start_ns": sess["start_ns"],
        "end_ns": totals(3)["end_ns"],
        "exit_status": 0,
        "contexts": sess["contexts"],
        "events": [
            {
                "pmd": p["num"],
                "set": 0,
                **{
                    name: p[name]
                    for name in ("event", "sampling", "notify")
                    + ("long_reset", "short_reset", "smpl_pmds")
                },
                "cpus": None,
                "frequency": None,
            }
            for p in SETS[0]
        ],
        "counts": totals(3)["counts"],
        "turns": [],
        "processes": [{"tgid": 100, "comm": "hotloops"}],
        "threads": [
            {
                "tid": 100,
                "tgid": 100,
                "comm": "hotloops",
                "ppid": None,
                "start_ns": None,
                "cgroup": None,
            }
        ],
        "process_events": None,
        "proc": None,
        "jit": [],
        "clocks": [],
        "kernel_symbols": False,
        "buffers": 1,
        "samples": 3,
        "user_chains": None,
        **SUMMARY,
    }


def test_info_text_names_command_and_totals(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(capsys, "info", file)
    assert status == 0
    for line in ("command: ./hotloops --fast", "samples: 3", "lost samples: 7"):
        assert line in out.splitlines()


def test_info_lists_control_groups_of_the_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    sess = {**session(), "cgroups": ["/a", "/b"]}
    path.write_bytes(simple_capture([Sample()] * 3, sess))
    lines = printed(capsys, "info", str(path)).splitlines()
    assert "control groups: /a, /b" in lines and "samples: 3" in lines


def test_info_text_escapes_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    sess = {**session(), "command": ["\x1b[2J", "\ud800"]}
    path.write_bytes(simple_capture([], sess))
    _, out, _ = run(capsys, "info", str(path))
    assert "command: \\x1b[2J \\ud800" in out


def test_info_text_has_events_and_argument(
    nway_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, "info", nway_file).splitlines()
    assert lines[1] == "format: n-way, 70fa5e60-0e12-4a8b-8a49-beac1a9d51ce"
    assert "event (set 0, PMD 0): event-0, sampling" in lines
    assert "buffers: 2" in lines and "contexts: 1" in lines
    assert lines[-1] == "truncated: no"


def test_info_reports_a_truncated_capture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([])[:-8])
    _, out, _ = run(capsys, "info", str(path))
    assert out.splitlines()[-1] == "truncated: yes"
    described = told(capsys, "info", str(path), warns=True)
    for name in (
        *("end_ns", "exit_status", "counts", "turns", "lost", "notifications"),
        *("throttled", "limited"),
    ):
        assert described[name] is None


def test_argument_of_another_size_is_not_decoded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, sess = tmp_path / "x.pfm", session()
    sess["format"]["arg"] = "00"
    path.write_bytes(simple_capture([], sess))
    assert told(capsys, "info", str(path))["format"]["arg"] is None
    assert "argument:" not in printed(capsys, "info", str(path))


def test_info_has_changes_of_the_argument(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, sess = tmp_path / "x.pfm", session()
    start = sess["start_ns"]
    arguments = [struct.pack("<QI52x", *v).hex() for v in ((65536, 1), (4096, 0))]
    changes = [
        farg(start + (n + 1) * 1_500_000_000, argument)
        for n, argument in enumerate([*arguments, arguments[1], "00"])
    ]
    path.write_bytes(capture(json_chunk("SESS", sess), *changes, DONE))
    lines = printed(capsys, "info", str(path)).splitlines()
    at = lines.index("argument: buf_size 65536, buf_flags 0")
    assert lines[at + 1 : at + 5] == [
        "argument after 1.500 s: buf_flags 1",
        "argument after 3.000 s: buf_size 4096, buf_flags 0",
        "argument after 4.500 s: buf_size 4096, buf_flags 0",
        "argument after 6.000 s: unknown",
    ]
    described = told(capsys, "info", str(path))
    assert described["format"]["arg"] == {"buf_size": 65536, "buf_flags": 0}
    assert described["argument_changes"][0] == {
        "realtime_ns": start + 1_500_000_000,
        "uncertainty_ns": 50,
        "arg": {"buf_size": 65536, "buf_flags": 1},
    }
    assert described["argument_changes"][3]["arg"] is None


def test_info_text_has_cpus_and_frequency_of_events(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events: list[dict[str, Any]] = [
        {**pmd(0), "cpus": "0,2-3"},
        {**pmd(1), "frequency": 999},
    ]
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([], session({0: events})))
    lines = printed(capsys, "info", str(path)).splitlines()
    assert "event (set 0, PMD 0): event-0, sampling, on CPUs 0,2-3" in lines
    assert "event (set 0, PMD 1): event-1, sampling at 999 Hz" in lines
