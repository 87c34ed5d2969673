# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the top command as a process on a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from helpers.cli import PARSERS, importing
from helpers.live_stream import stream
from pfmparse.analysis.inputs import Options
from pfmparse.analysis.selection import Selection
from pfmparse.commands import top_screen
from pfmparse.commands.watching import Watch
from pfmparse.symbols.location import SymbolOptions

pytest.importorskip("curses")

PATIENCE = 60  # s, timeout for terminal output


class Session:
    """A pfmparse top process, its terminal and its input pipe."""

    def __init__(self, directory: Path, *options: str, kind: str = "vt100") -> None:
        pipe = directory / "pipe"
        os.mkfifo(pipe)
        self.terminal, other = pty.openpty()
        self.resize(24, 80)
        self.before = termios.tcgetattr(other)
        self.other = other
        self.text = ""
        self.program = subprocess.Popen(
            [sys.executable, "-m", "pfmparse", "top", *options, str(pipe)],
            env={**importing(PARSERS), "TERM": kind},
            cwd=directory,
            stdin=other,
            stdout=other,
            stderr=other,
            preexec_fn=self._own_terminal,
        )
        self.pipe = open(pipe, "wb", buffering=0)

    @staticmethod
    def _own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, lines: int, columns: int) -> None:
        """Resize the terminal."""
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)

    def await_text(self, text: str) -> None:
        """Read until the terminal shows this text after the previous match."""
        while text not in self.text:
            ready, _, _ = select.select([self.terminal], [], [], PATIENCE)
            assert ready, self.text
            self.text += os.read(self.terminal, 4096).decode(errors="replace")
        self.text = self.text.partition(text)[2]

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self.terminal, keys.encode())

    def end(self) -> int:
        """Return the exit status; check that the terminal's settings are restored."""
        status = self.program.wait(60)
        assert termios.tcgetattr(self.other) == self.before
        return status

    def close(self) -> None:
        """Kill the process and close its files."""
        self.program.kill()
        self.program.wait()
        self.pipe.close()
        os.close(self.terminal)
        os.close(self.other)


@pytest.fixture(name="session")
def fixture_session(tmp_path: Path) -> Iterator[Session]:
    session = Session(tmp_path)
    session.pipe.write(stream())
    session.await_text("hotloops")
    yield session
    session.close()


def test_top_screen_ends_on_key_q(session: Session) -> None:
    session.press("q")
    assert session.end() == 0


def test_top_screen_ends_with_the_capture(session: Session) -> None:
    session.pipe.close()
    assert session.end() == 0


@pytest.mark.parametrize(
    "number,status", [(signal.SIGINT, 0), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_top_screen_restores_terminal_on_signals(
    session: Session, number: signal.Signals, status: int
) -> None:
    session.program.send_signal(number)
    assert session.end() == status


def test_top_screen_keys_sort_pause_and_write(session: Session, tmp_path: Path) -> None:
    session.press("s")
    session.await_text("function")
    session.press("p")
    session.await_text("paused")
    session.press("w")
    session.await_text("written to pfmon-top-3.txt")
    lines = (tmp_path / "pfmon-top-3.txt").read_text().splitlines()
    assert lines[0].endswith("by function, paused")
    session.press("pr")
    session.press("q")
    assert session.end() == 0


def test_top_screen_says_if_it_cannot_write(session: Session, tmp_path: Path) -> None:
    (tmp_path / "pfmon-top-3.txt").mkdir()
    session.press("w")
    session.await_text("cannot write pfmon-top-3.txt: Is a directory")


def test_top_screen_without_session_fails(tmp_path: Path) -> None:
    session = Session(tmp_path)
    session.pipe.write(b"PFMCAP\r\n")
    session.pipe.close()
    session.await_text("the capture ends before its session")
    assert session.end() == 1
    session.close()


def test_top_on_unknown_terminal_prints_lines(tmp_path: Path) -> None:
    session = Session(tmp_path, kind="of-no-known-kind")
    session.pipe.write(stream())
    session.pipe.close()
    session.await_text("3 s, event-0 (period 1000)")
    assert session.end() == 0
    session.close()


@pytest.mark.parametrize("lines,columns", [(1, 1), (1, 80), (2, 2), (24, 1)])
def test_top_screen_fits_any_terminal(
    lines: int, columns: int, session: Session
) -> None:
    session.await_text("w write")
    session.resize(lines, columns)
    os.kill(session.program.pid, signal.SIGWINCH)
    session.press("sq")
    assert session.end() == 0


class Window:
    """A curses window that only stores its lines."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.lines: dict[int, str] = {}

    def addnstr(self, at: int, _: int, text: str, size: int, how: int) -> None:
        """Store a line."""
        self.lines[at] = text[:size]

    def getmaxyx(self) -> tuple[int, int]:
        """Return the size."""
        return 24, 80

    def nodelay(self, _: bool) -> None:
        """Do nothing."""

    erase = refresh = lambda self: None


def test_top_screen_shows_new_steps_unless_paused(tmp_path: Path) -> None:
    first, *rest = re.split(rb"(?=BUFR)", stream())
    path, window = tmp_path / "live", Window()
    path.write_bytes(first)
    options = Options(Selection(), SymbolOptions())
    with open(path, "rb") as live, open(path, "ab", buffering=0) as writer:
        watch = Watch(live.fileno(), options, lambda text: None, 10**9)
        screen = top_screen._Screen(cast(Any, window), watch, None)
        shown = []
        for keys, data in zip(("", "p", "p"), rest):
            for key in keys:
                screen._press(key)
            writer.write(data)
            assert screen._read()
            screen._draw()
            shown.append(window.lines[0].split(",")[0])
    assert shown == ["1 s", "1 s", "3 s"]


def test_top_screen_follows_terminal_size(session: Session) -> None:
    session.await_text("w write")
    session.resize(10, 60)
    os.kill(session.program.pid, signal.SIGWINCH)
    session.await_text("w write")
    session.press("q")
    assert session.end() == 0


def test_top_screen_ends_after_given_iterations(tmp_path: Path) -> None:
    session = Session(tmp_path, "--iterations=2")
    session.pipe.write(stream())
    assert session.end() == 0
    session.close()
