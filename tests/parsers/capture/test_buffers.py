# SPDX-License-Identifier: MIT OR GPL-2.0
"""Groups of buffers of one context that are processed together."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from pfmparse.capture import buffers as module
from pfmparse.capture.buffer import Buffer
from pfmparse.capture.buffers import Buffers, gather, plain_buffers
from pfmparse.layout import struct_dtype

DATA = bytes(range(200))


def some(begins: list[int], sizes: list[int]) -> Buffers:
    """Describe buffers in DATA, which is at byte 1000 of the file."""
    return Buffers(
        memoryview(DATA), np.array(begins), np.array(sizes), 3, 4, 1000, unread=2
    )


def test_buffers_have_their_file_offsets() -> None:
    one, other = some([10, 50], [5, 7])
    assert (one.data, one.offset) == (DATA[10:15], 1010)
    assert (other.data, other.offset) == (DATA[50:57], 1050)
    assert one[1:3] == other[1:3] == (3, 4)
    assert (one.stored, one.whole, one.unread) == ("", True, 2)
    assert len(some([10, 50], [5, 7])) == 2


def test_buffers_of_one_buffer_return_it_unchanged() -> None:
    buffer = Buffer(memoryview(DATA), 1, 2, 3, "assembled", False, 4)
    assert list(Buffers.of(buffer)) == [buffer]


def test_parts_of_buffers_keep_their_order() -> None:
    buffers = some([10, 50, 90], [5, 7, 9])
    assert list(buffers.part(1, 3)) == list(buffers)[1:]


def test_heads_are_read_at_buffer_starts() -> None:
    head = struct_dtype(4, [("a", "<u2", 0), ("b", "<u2", 2)])
    found = some([11, 50], [5, 7]).heads(head)
    assert found.tolist() == [struct.unpack_from("<HH", DATA, at) for at in (11, 50)]


@pytest.mark.parametrize(
    "begins,spacing",
    [([10], 5), ([10, 30], 20), ([10, 30, 50], 20), ([10, 30, 51], 0)],
)
def test_buffer_spacing_is_zero_if_not_uniform(begins: list[int], spacing: int) -> None:
    assert some(begins, [5] * len(begins)).spacing() == spacing


def payloads(*heads: tuple[int, int]) -> Buffers:
    """Build BUFR payloads from context numbers and piece counts."""
    data = b"".join(struct.pack("<IIQQQ", *head, 0, 0, 7) for head in heads)
    begins = np.arange(len(heads)) * 32
    return Buffers(memoryview(data), begins, np.full(len(heads), 32), 0, 0, 0)


def test_plain_buffers_are_split_by_context() -> None:
    found = plain_buffers(payloads((5, 0), (6, 0), (5, 0)), {5, 6})
    assert found is not None
    assert [buffers.context for buffers in found] == [5, 6]
    assert [buffers.begins.tolist() for buffers in found] == [[24, 88], [56]]
    assert [buffers.sizes.tolist() for buffers in found] == [[8, 8], [8]]


@pytest.mark.parametrize("head", [(5, 1), (9, 0)])
def test_pieces_and_unknown_contexts_are_not_plain(head: tuple[int, int]) -> None:
    assert plain_buffers(payloads((5, 0), head), {5}) is None


def test_payload_without_a_header_is_not_plain() -> None:
    short = Buffers(memoryview(DATA), np.array([0, 30]), np.array([30, 23]), 0, 0, 0)
    assert plain_buffers(short, {50462976}) is None


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
    monkeypatch.setattr(module, "ENOUGH", 30)
    monkeypatch.setattr(module, "MOST", 50)


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
