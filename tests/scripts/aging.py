# SPDX-License-Identifier: MIT OR GPL-2.0
"""Let cache entries age."""

from __future__ import annotations

import time

import cache_entries
import pytest


def release_all() -> None:
    """Release all entries, as happens when a process ends."""
    for lock in cache_entries._locks.values():
        lock.close()
    cache_entries._locks.clear()


def pass_days(days: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the cache entries older by ``days`` days."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + days * cache_entries.DAY)
