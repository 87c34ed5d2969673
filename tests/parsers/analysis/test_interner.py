# SPDX-License-Identifier: MIT OR GPL-2.0
"""Intern pairs: each distinct pair gets a number, counted from 0 without gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pfmparse.analysis import interner
from pfmparse.analysis.interner import SIZE, Interner, Window


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


FAR = (1 << 64) - 1
NUMBERS = st.one_of(st.integers(0, 6), st.sampled_from([1 << 40, 1 << 63, FAR]))
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=40)


def looked_up(table: Interner, pairs: list[tuple[int, int]]) -> list[int]:
    """Return the numbers of these pairs."""
    columns = np.array(pairs, np.uint64).reshape(-1, 2)
    numbers: list[int] = table.ids(columns[:, 0], columns[:, 1]).tolist()
    return numbers


def known(table: Interner) -> list[tuple[int, int]]:
    """Return all pairs in the order of their numbers."""
    a, b = table.pairs()
    return list(zip(a.tolist(), b.tolist()))


@settings(derandomize=True, deadline=None, max_examples=400)
@given(
    st.lists(PAIRS, max_size=5),
    st.integers(1, 30),
    st.sampled_from([1, 2, 4, 1 << 10]),
    st.sampled_from([1, 8, 1 << 20]),
)
def test_interner_gives_equal_pairs_equal_numbers(
    batches: list[list[tuple[int, int]]], block: int, slots: int, large: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interner, "BLOCK", block)
        patch.setattr(interner, "SLOTS", slots)
        patch.setattr(interner, "LARGE", large)
        table, numbers = Interner(), dict[tuple[int, int], int]()
        for batch in batches:
            for pair, number in zip(batch, looked_up(table, batch)):
                assert numbers.setdefault(pair, number) == number
            assert len(table) == len(numbers)
            assert known(table) == sorted(numbers, key=lambda pair: numbers[pair])


def test_interner_separates_colliding_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(a: NDArray[Any], b: NDArray[Any], size: int) -> NDArray[np.intp]:
        return np.zeros(np.broadcast(a, b).shape, np.intp)

    monkeypatch.setattr(interner, "_first_slots", nowhere)
    table, pairs = Interner(), [(a, b) for a in range(30) for b in range(30)]
    first = looked_up(table, pairs)
    assert sorted(first) == list(range(900))
    assert looked_up(table, pairs) == first


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 1, 1 << 40]),
            st.lists(NUMBERS | st.integers(1 << 40, (1 << 40) + 9), max_size=40),
        ),
        max_size=8,
    ),
    st.integers(1, 30),
    st.sampled_from([0, 20, 1 << 10]),
)
def test_interner_window_keeps_numbers_of_pairs(
    batches: list[tuple[int, list[int]]], block: int, patience: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interner, "BLOCK", block)
        patch.setattr(interner, "PATIENCE", patience)
        table, numbers = Interner(), dict[tuple[int, int], int]()
        for a, some in batches:
            ids = table.ids(np.array([a], np.uint64), np.array(some, np.uint64))
            for b, number in zip(some, ids.tolist()):
                assert numbers.setdefault((a, b), number) == number
        assert known(table) == sorted(numbers, key=lambda pair: numbers[pair])


def test_interner_window_finds_close_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, a = Interner(), np.array([5], np.uint64)
    numbers = np.arange(interner.PATIENCE, dtype=np.uint64) + np.uint64(1 << 63)
    first = table.ids(a, numbers).tolist()
    monkeypatch.setattr(table, "_look_up", None)
    monkeypatch.setattr(table, "_search", None)
    assert table.ids(a, numbers).tolist() == first


@pytest.mark.parametrize("a", [np.array([7]), np.broadcast_to(np.uint32(7), (6,))])
@pytest.mark.parametrize("kind", ["u1", "<u4", ">i8", "<i4", "<u8"])
def test_interner_accepts_any_integer_type(a: NDArray[Any], kind: str) -> None:
    columns = np.zeros(6, [("b", kind), ("other", "u1")])
    columns["b"] = [5, 6, 5, 0, 6, 5]
    table = Interner()
    ids = table.ids(a, columns["b"])
    assert [known(table)[at] for at in ids] == [(7, n) for n in (5, 6, 5, 0, 6, 5)]


def test_interner_wraps_negative_numbers_to_64_bits() -> None:
    table = Interner()
    assert table.ids(np.array([-1]), np.array([-2], np.int32)).tolist() == [0]
    assert known(table) == [(FAR, FAR - 1)]


def test_interner_accepts_empty_columns() -> None:
    table = Interner()
    assert table.ids(np.zeros(1), np.zeros(0)).size == 0
    assert len(table) == 0 and known(table) == []


def test_interner_memory_grows_with_distinct_pairs() -> None:
    table, same = Interner(), np.zeros(1 << 18, np.uint64)
    for number in range(20):
        table.ids(same[:1], same + np.uint64(number))
    assert len(table) == 20
    assert table._slots.size == interner.SLOTS and table._b.size < 64
