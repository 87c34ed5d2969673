# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the top command on a terminal."""

from __future__ import annotations

import curses
import os
import select
import signal
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..analysis.recent import Place
from .options import TOP_ORDERS
from .top_lines import KEYS, NS, Status, heading, rows, table
from .watching import Watch

if TYPE_CHECKING:
    from curses import window as Window

WIDTH = 100  # characters in a line of the file that the key "w" writes


def show(watch: Watch, iterations: Optional[int]) -> None:
    """Shows the capture until it ends or the user quits."""
    curses.wrapper(lambda window: _Screen(window, watch, iterations).run())


def can_show() -> bool:
    """Returns whether input and output are a terminal that curses supports."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        curses.setupterm()
    except curses.error:
        return False
    return True


class _Screen:
    """Shows the lines on the terminal and handles keys."""

    def __init__(self, window: Window, watch: Watch, iterations: Optional[int]) -> None:
        self._window = window
        self._watch = watch
        self._iterations = iterations
        self._order = "samples"
        self._paused = False
        self._note = ""
        self._shown: tuple[Status, Counter[Place]] = (watch.status, watch.counts)
        window.nodelay(True)
        try:
            curses.curs_set(0)
        except curses.error:
            pass  # the terminal cannot hide its cursor

    def run(self) -> None:
        """Reads keys and the capture until the user quits or the capture ends."""
        woken, waker = os.pipe()
        os.set_blocking(waker, False)
        before = signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGWINCH, lambda number, frame: None)
        try:
            self._draw()
            while not self._is_over() and self._go_on(woken):
                self._draw()
        finally:
            signal.signal(signal.SIGWINCH, signal.SIG_DFL)
            signal.set_wakeup_fd(before)
            os.close(woken)
            os.close(waker)

    def _go_on(self, woken: int) -> bool:
        """Waits for a key, data or a signal; handles it; returns False at the end."""
        stdin = sys.stdin.fileno()
        ready, _, _ = select.select([self._watch.fd, stdin, woken], [], [])
        if woken in ready:
            os.read(woken, 64)
            self._resize()
        if stdin in ready and not self._press_all():
            return False
        return self._watch.fd not in ready or self._read()

    def _read(self) -> bool:
        before = self._watch.ended
        if not self._watch.read():
            return False
        if self._watch.ended > before and not self._paused:
            self._shown = (self._watch.status, self._watch.counts)
            self._note = ""
        return not self._is_over()

    def _is_over(self) -> bool:
        """Returns whether the requested number of refreshes has been reached."""
        return self._iterations is not None and self._watch.ended >= self._iterations

    def _resize(self) -> None:
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
        curses.resizeterm(lines, columns)
        self._window.clear()

    def _press_all(self) -> bool:
        """Handles all pressed keys; returns False if one of them quits."""
        while True:
            try:
                key = self._window.getkey()
            except curses.error:
                return True  # no more keys
            if key in ("q", "Q"):
                return False
            self._press(key)

    def _press(self, key: str) -> None:
        if key in ("p", " "):
            self._paused = not self._paused
            if not self._paused:
                self._shown = (self._watch.status, self._watch.counts)
        elif key == "s":
            orders = TOP_ORDERS
            self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        elif key == "r":
            self._watch.forget()
        elif key == "w":
            self._note = self._write()

    def _lines(self, width: int, limit: Optional[int]) -> list[str]:
        status, counts = self._shown
        status = replace(status, order=self._order, paused=self._paused)
        found = rows(counts, self._order)
        return [
            *heading(status),
            self._note,
            *table(found, counts.total(), width, limit, status.unit),
        ]

    def _write(self) -> str:
        """Writes all rows to a file; returns the note to show."""
        name = f"pfmon-top-{self._shown[0].elapsed_ns // NS}.txt"
        try:
            Path(name).write_text("\n".join(self._lines(WIDTH, None)) + "\n")
        except OSError as error:
            return f"cannot write {name}: {error.strerror}"
        return f"written to {name}"

    def _draw(self) -> None:
        height, width = self._window.getmaxyx()
        lines = self._lines(width, max(0, height - 5))
        self._window.erase()
        for at, line in enumerate(lines[: height - 1]):
            losing = at == 1 and self._shown[0].step_lost
            marked = curses.A_REVERSE if losing or at == 3 else curses.A_NORMAL
            self._put(at, line, width, marked)
        self._put(height - 1, KEYS, width, curses.A_DIM)
        self._window.refresh()

    def _put(self, at: int, line: str, width: int, how: int) -> None:
        """Writes a line; escapes characters that the terminal cannot show."""
        code = self._window.encoding
        shown = line.encode(code, "backslashreplace").decode(code)
        self._window.addnstr(at, 0, shown, max(0, width - 1), how)
