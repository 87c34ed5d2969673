# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print the machine, threads and generated code with the info command."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cli import printed, told
from helpers.writers import (
    Json,
    cache,
    capture,
    clck,
    clock_moment,
    jitm,
    json_chunk,
    processors,
    session,
    thrd,
    thread,
    totals,
)

KINDS = [
    {**processors(), "caches": [cache(1, "data", 32768, 1)]},
    {
        "cpus": "2",
        "model": None,
        "id": "0x410fd080",
        "khz": None,
        "caches": [
            cache(1, "instruction", 1000, 1),
            cache(2, "unified", 1 << 20, 4),
            {**cache(3, "unified", 0, 4), "size": None},
        ],
    },
]


def written(path: Path, sess: Json, *chunks: bytes) -> str:
    done = json_chunk("DONE", totals(0))
    path.write_bytes(capture(json_chunk("SESS", sess), *chunks, done))
    return str(path)


@pytest.fixture
def full(tmp_path: Path) -> str:
    """Return the path of a capture of two kinds of CPUs, two threads and JIT code."""
    sess = session()
    sess["machine"]["processors"] = KINDS
    return written(
        tmp_path / "x.pfm",
        sess,
        thrd(thread(5, 4, "worker"), thread(4, 4, "main")),
        jitm(4, "1000 10 a\n2000 10 b\n", flags=1),
        jitm(3, "1000 10 a\n"),
        clck(5000, 9000),
        clck(1000, 4000),
    )


def test_info_json_has_machine_threads_and_clocks(
    full: str, capsys: pytest.CaptureFixture[str]
) -> None:
    described = told(capsys, "info", full)
    assert described["machine"]["processors"] == KINDS
    assert described["machine"]["host"] == "build7"
    assert described["threads"] == [
        {**thread(tid, 4, comm), "cgroup": None}
        for tid, comm in ((4, "main"), (5, "worker"))
    ]
    assert described["jit"] == [
        {"tgid": 3, "functions": 1, "cut": False},
        {"tgid": 4, "functions": 2, "cut": True},
    ]
    assert described["clocks"] == [clock_moment(1000, 4000), clock_moment(5000, 9000)]


def test_info_text_has_machine_and_threads(
    full: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, "info", full).splitlines()
    for line in (
        "host: build7",
        "CPUs 0-1: Example CPU @ 2.80GHz, 2800 MHz, L1 data 32 KiB",
        "CPUs 2: 0x410fd080, L1 instruction 1000 bytes, L2 1 MiB, L3 of unknown size",
        "threads: 2 of 1 process",
        "JIT functions of process 3: 1",
        "JIT functions of process 4: 2, and more that were left out",
    ):
        assert line in lines


def test_info_accepts_capture_without_machine_details(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sess = session()
    for name in ("host", "boot_id", "processors"):
        del sess["machine"][name]
    path = written(tmp_path / "x.pfm", sess)
    described = told(capsys, "info", path)
    assert described["machine"] == {
        **sess["machine"],
        "host": None,
        "boot_id": None,
        "processors": [],
    }
    for name in ("threads", "jit", "clocks"):
        assert described[name] == []
    names = [line.split(":")[0] for line in printed(capsys, "info", path).splitlines()]
    assert "host" not in names and "machine" in names


@pytest.mark.parametrize(
    ("events", "line"),
    [
        ({"error": None, "lost": 0}, "process events: recorded, 0 lost"),
        ({"error": None, "lost": 7}, "process events: recorded, 7 lost"),
        (
            {"error": "Permission denied", "lost": 0},
            "process events: none: Permission denied",
        ),
    ],
)
def test_info_says_whether_process_events_are_complete(
    events: dict[str, object],
    line: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "x.pfm"
    done = json_chunk("DONE", {**totals(0), "process_events": events})
    path.write_bytes(capture(json_chunk("SESS", session()), done))
    assert told(capsys, "info", str(path))["process_events"] == events
    assert line in printed(capsys, "info", str(path)).splitlines()


@pytest.mark.parametrize(
    ("proc", "line"),
    [
        ("unreadable", "could not be read: lost samples, and some files, are unknown"),
        ("polled", "read during the session: short-lived mappings may be missing"),
        ("of the future", "of the future"),
        (None, None),
    ],
)
def test_info_says_how_proc_limited_the_recording(
    proc: str | None,
    line: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "x.pfm"
    done = json_chunk("DONE", {**totals(0), **({"proc": proc} if proc else {})})
    path.write_bytes(capture(json_chunk("SESS", session()), done))
    assert told(capsys, "info", str(path))["proc"] == proc
    lines = printed(capsys, "info", str(path)).splitlines()
    found = [text for text in lines if text.startswith("/proc: ")]
    assert found == ([f"/proc: {line}"] if line else [])
