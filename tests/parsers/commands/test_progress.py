# SPDX-License-Identifier: MIT OR GPL-2.0
"""The progress line of a long command."""

from __future__ import annotations

import pytest
from helpers.terminal import Terminal
from pfmparse import status_line
from pfmparse.commands.progress import Progress


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
