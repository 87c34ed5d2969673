# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the top command without a terminal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers.cli import program, run
from helpers.live_stream import TICKS, stream

Capture = pytest.CaptureFixture[str]


@pytest.fixture(name="file")
def fixture_file(tmp_path: Path) -> str:
    path = tmp_path / "live.cap"
    path.write_bytes(stream())
    return str(path)


def refreshes(capsys: Capture, *words: str) -> list[str]:
    """Run top; return its refreshes. It may warn about the missing object file."""
    status, out, err = run(capsys, "top", *words)
    assert status == 0 and err.count("\n") <= 1
    return out.strip().split("\n\n")


def test_top_prints_each_refresh(file: str, capsys: Capture) -> None:
    parts = refreshes(capsys, file)
    assert len(parts) == TICKS + 1
    assert parts[1].splitlines()[:2] == [
        "2 s, event-0 (period 1000), rows: last 2 s by samples",
        "3 samples, 2/s; 5 lost, 5/s",
    ]
    row = parts[1].splitlines()[3].split()
    assert row == ["100.00", "3", "[unknown]", "hotloops", "hotloops"]


def test_top_heading_names_control_groups(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "group.cap"
    path.write_bytes(stream(cgroups=["/a", "/b\x1b"]))
    first = refreshes(capsys, str(path))[0].splitlines()
    assert first[0].endswith("rows: last 1 s by samples, of /a, /b\\x1b")
    assert first[1].startswith("0 samples")
    first = refreshes(capsys, "--cgroup=/", str(path))[0].splitlines()
    assert first[0].endswith("by samples, of /") and first[1].startswith("1 sample,")


def test_top_ends_after_given_iterations(file: str, capsys: Capture) -> None:
    assert len(refreshes(capsys, "--batch", "--iterations=2", file)) == 2


def test_top_options_limit_sort_and_select_rows(file: str, capsys: Capture) -> None:
    options = ("--rows=1", "--window=1s", "--sort=comm", "--comm=nobody")
    last = refreshes(capsys, *options, file)[-2]
    assert "rows: last 1 s by comm" in last
    assert "0 samples" in last and len(last.splitlines()) == 3


@pytest.mark.parametrize(
    "data,complaint",
    [
        (b"", ""),
        (b"PFMCAP\r\n", "the capture ends before its session"),
        (b"nonsense nonsense", "not a capture"),
    ],
)
def test_top_refuses_a_non_capture(
    data: bytes, complaint: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "x.cap"
    path.write_bytes(data)
    status, out, err = run(capsys, "top", str(path))
    assert (status, out) == (1, "")
    assert complaint in err and bool(complaint) == bool(err)


def test_top_names_a_missing_file(capsys: Capture) -> None:
    status, _, err = run(capsys, "top", "/no/such/file")
    assert status == 1 and "/no/such/file: No such file" in err


def test_top_exits_with_0_on_interrupt(
    file: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pfmparse.commands.top._print", interrupt)
    assert run(capsys, "top", file)[0] == 0


def test_top_ends_on_closed_output(file: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as closed:
        done = program("top", file, stdout=closed)
    assert done.returncode == 0 and "Broken pipe" not in done.stderr


def test_top_prints_problems_of_the_capture(tmp_path: Path, capsys: Capture) -> None:
    data = bytearray(stream())
    data[data.index(b"BUFR") + 30] ^= 1
    path = tmp_path / "live.cap"
    path.write_bytes(data)
    status, out, err = run(capsys, "top", str(path))
    assert status == 0 and "BUFR has a wrong checksum" in err
    assert out.count("\n\n") == TICKS + 1
