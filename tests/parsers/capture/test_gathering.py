# SPDX-License-Identifier: MIT OR GPL-2.0
"""Gathering of buffers of one context from several groups."""

from __future__ import annotations

import numpy as np
import pytest
from pfmparse.capture import gathering
from pfmparse.capture.buffers import Buffers
from pfmparse.capture.gathering import gather

Short = tuple[int, int, int]


def one(number: int, context: int, epoch: int = 0, unread: int = 0) -> Buffers:
    """Describe a buffer of ten bytes whose offset is its number."""
    begins, sizes = np.zeros(1, np.intp), np.array([10])
    data = memoryview(bytes(10))
    return Buffers(data, begins, sizes, context, epoch, number, unread=unread)


def numbers(groups: list[list[Buffers]]) -> list[list[int]]:
    """Return the buffer numbers of each gathered list."""
    return [[buffers.offset for buffers in some] for some in gather(groups)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let three buffers of a context be enough, and six of all contexts too many."""
    monkeypatch.setattr(gathering, "ENOUGH", 30)
    monkeypatch.setattr(gathering, "MOST", 50)


def test_gathering_keeps_order_within_each_context() -> None:
    groups = [[one(0, 5), one(1, 6), one(2, 5)], [one(3, 6), one(4, 5)]]
    assert numbers(groups) == [[0, 2, 4], [1, 3]]


def test_gathering_stops_at_enough_bytes_of_a_context() -> None:
    groups = [[one(n, 5)] for n in range(7)]
    assert numbers(groups) == [[0, 1, 2], [3, 4, 5], [6]]


def test_gathering_limits_bytes_of_all_contexts() -> None:
    assert numbers([[one(n, n) for n in range(8)]]) == [[n] for n in range(8)]
    found = numbers([[one(n, n % 4) for n in range(8)]])
    assert found == [[0, 4], [1, 5], [2], [3], [6], [7]]


def test_gathering_does_not_cross_an_epoch_change() -> None:
    groups = [[one(0, 5), one(1, 6), one(2, 5, 1), one(3, 6, 1, 1)], [one(4, 5, 1, 1)]]
    assert numbers(groups) == [[0], [1], [2], [3], [4]]
