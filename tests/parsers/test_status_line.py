# SPDX-License-Identifier: MIT OR GPL-2.0
"""Show the status line on a terminal."""

from __future__ import annotations

import io

import pytest
from helpers.terminal import Terminal
from pfmparse import status_line
from pfmparse.status_line import Progress, StatusLine


def shown(out: io.StringIO, monkeypatch: pytest.MonkeyPatch, after: float) -> str:
    """Show two texts, remove the line twice, and return the output."""
    monkeypatch.setattr(status_line, "FIRST", after)
    monkeypatch.setattr(status_line, "NEXT", 0.0)
    line = StatusLine(out)
    line.show("first text")
    line.show("second")
    line.remove()
    line.remove()
    return out.getvalue()


def test_status_line_is_overwritten_and_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = f"\rfirst text\rsecond    \r{' ' * 6}\r"
    assert shown(Terminal(), monkeypatch, 0.0) == expected


def test_status_line_is_not_shown_for_short_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert shown(Terminal(), monkeypatch, 3600.0) == ""


def test_status_line_is_not_written_to_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(io.StringIO(), monkeypatch, 0.0) == ""


def test_progress_line_is_removed_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status_line, "FIRST", 0.0)
    monkeypatch.setattr(status_line, "NEXT", 0.0)
    out = Terminal()
    line = Progress("read", out)
    line.add(1000)
    line.add(1)
    line.remove()
    first, second = "1,000 samples read", "1,001 samples read"
    assert out.getvalue() == f"\r{first}\r{second}\r{' ' * len(second)}\r"
