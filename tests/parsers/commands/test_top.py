# SPDX-License-Identifier: MIT OR GPL-2.0
"""The top command without a terminal."""

from __future__ import annotations

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
    """Run top and return its refreshes; the missing object file may cause a warning."""
    status, out, err = run(capsys, "top", *words)
    assert status == 0 and err.count("\n") <= 1
    return out.strip().split("\n\n")


def test_each_refresh_is_printed(file: str, capsys: Capture) -> None:
    parts = refreshes(capsys, file)
    assert len(parts) == TICKS + 1
    assert parts[1].splitlines()[:2] == [
        "2 s, event-0 (period 1000), rows: last 2 s by samples",
        "3 samples, 2/s; 5 lost, 5/s",
    ]
    row = parts[1].splitlines()[3].split()
    assert row == ["100.00", "3", "[unknown]", "hotloops", "hotloops"]


def test_control_groups_that_the_capture_asks_for_are_above_the_rows(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "group.cap"
    path.write_bytes(stream(cgroups=["/a", "/b\x1b"]))
    first = refreshes(capsys, str(path))[0].splitlines()
    assert first[0].endswith("rows: last 1 s by samples, of /a, /b\\x1b")
    assert first[1].startswith("0 samples")
    first = refreshes(capsys, "--cgroup=/", str(path))[0].splitlines()
    assert first[0].endswith("by samples, of /") and first[1].startswith("1 samples")


def test_it_ends_after_so_many_refreshes(file: str, capsys: Capture) -> None:
    assert len(refreshes(capsys, "--batch", "--iterations=2", file)) == 2


def test_rows_window_order_and_selection(file: str, capsys: Capture) -> None:
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
def test_what_is_no_capture_is_refused(
    data: bytes, complaint: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "x.cap"
    path.write_bytes(data)
    status, out, err = run(capsys, "top", str(path))
    assert (status, out) == (1, "")
    assert complaint in err and bool(complaint) == bool(err)


def test_file_that_is_not_there_is_named(capsys: Capture) -> None:
    status, _, err = run(capsys, "top", "/no/such/file")
    assert status == 1 and "/no/such/file: No such file" in err


def test_interrupt_is_the_usual_end(
    file: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pfmparse.commands.top._print", interrupt)
    assert run(capsys, "top", file)[0] == 0


def test_reader_that_goes_ends_it(file: str) -> None:
    assert program("top", file).returncode == 0
