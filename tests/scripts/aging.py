# SPDX-License-Identifier: MIT OR GPL-2.0
"""What happens to entries of the cache as time goes by."""

from __future__ import annotations

import time

import kept
import pytest


def release_all() -> None:
    """Use no entry any more, as if this process had ended."""
    for lock in kept._locks.values():
        lock.close()
    kept._locks.clear()


def pass_days(days: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the entries be as many days older."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + days * kept.DAY)
