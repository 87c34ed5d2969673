# SPDX-License-Identifier: MIT OR GPL-2.0
"""Lookup tables for numbers that lie close together."""

from __future__ import annotations

import numpy as np
from pfmparse.analysis.window import SIZE, Window


def _u64s(*numbers: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    return np.array(numbers, np.uint64)


def _window(*numbers: int) -> Window:
    window = Window.around(_u64s(*numbers))
    assert window is not None
    return window


def test_window_finds_noted_numbers_only() -> None:
    window, ids = _window(100, 200), np.empty(3, np.intp)
    window.note(_u64s(150, 200), np.array([7, 0]))
    others = window.look_up(_u64s(200, 151, 150), ids)
    assert others is not None and others.tolist() == [1]
    assert ids[[0, 2]].tolist() == [0, 7]


def test_window_ignores_numbers_outside() -> None:
    window, ids = _window(1 << 63, (1 << 63) + 10), np.empty(2, np.intp)
    for beside in (0, (1 << 63) - 6, (1 << 63) + 17, (1 << 64) - 1):
        window.note(_u64s(beside), np.array([5]))
        assert window.look_up(_u64s(1 << 63, beside), ids) is None
    found = window.look_up(_u64s(1 << 63, (1 << 63) + 16), ids)
    assert found is not None and found.tolist() == [0, 1]


def test_window_includes_its_edges() -> None:
    for numbers in ((0, 0), (0, 3), ((1 << 64) - 2, (1 << 64) - 1)):
        window, ids = _window(*numbers), np.empty(2, np.intp)
        window.note(_u64s(*numbers), np.array([3, 3]))
        others = window.look_up(_u64s(*numbers), ids)
        assert others is not None and others.size == 0 and ids.tolist() == [3, 3]


def test_distant_numbers_have_no_window() -> None:
    assert Window.around(_u64s(0, SIZE // 2 - 1)) is not None
    assert Window.around(_u64s(0, SIZE // 2)) is None
    assert Window.around(_u64s(0, (1 << 64) - 1)) is None
