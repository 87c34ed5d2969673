# SPDX-License-Identifier: MIT OR GPL-2.0
"""Rounds, after which perf can sort samples by time."""

from __future__ import annotations

from pfmparse.exports.perf_order import Order
from pfmparse.exports.perf_records import finished_round


def test_perf_round_ends_after_batch_of_one_context() -> None:
    order = Order(1)
    assert [order.after(0, time) for time in (5, 9)] == [finished_round()] * 2


def test_perf_round_waits_for_slowest_context() -> None:
    order = Order(2)
    assert not order.after(0, 100)
    # No sample precedes time 0, and perf flushes nothing at the first round.
    assert order.after(1, 10)
    # Samples before 100 can follow until both contexts have passed 100.
    assert not order.after(1, 50)
    assert not order.after(0, 200)
    assert order.after(1, 100)
    assert not order.after(1, 150)
    assert order.after(1, 201)


def test_perf_unordered_times_have_no_rounds() -> None:
    order = Order(None)
    assert not order.after(0, 5) and not order.after(0, 9)


def test_perf_flush_writes_two_rounds() -> None:
    order = Order(2)
    assert not order.flush()
    order.after(0, 5)
    assert order.flush() == 2 * finished_round()
