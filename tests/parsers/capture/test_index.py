# SPDX-License-Identifier: MIT OR GPL-2.0
"""Index the buffer copies in a capture."""

from __future__ import annotations

from typing import Sequence

import pytest
from pfmparse.capture import index
from pfmparse.capture.chunks import ChunkHeader
from pfmparse.capture.index import Index


def indexed(*buffers: tuple[int, int, int]) -> Index:
    """Build an index of buffers with these offsets, lengths and epochs."""
    found = Index()
    for at, (offset, length, epoch) in enumerate(buffers):
        found.append(ChunkHeader("BUFR", 0, length, at, offset), epoch)
    return found


@pytest.mark.parametrize(
    "buffers,groups",
    [
        ([], []),
        ([(40, 100, 0)], [[0]]),
        ([(40, 0, 0), (64, 0, 0)], [[0, 1]]),
        ([(40, 400, 0), (464, 400, 0), (888, 400, 0)], [[0, 1], [2]]),
        ([(40, 5000, 0), (5064, 400, 0)], [[0], [1]]),
        ([(40, 100, 0), (164, 100, 1), (288, 100, 1)], [[0], [1, 2]]),
        ([(40, 100, 0), (200, 100, 0), (340, 100, 0)], [[0], [1, 2]]),
    ],
)
def test_index_groups_close_buffers_of_an_epoch(
    buffers: Sequence[tuple[int, int, int]],
    groups: list[list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(index, "GROUP", 1000)
    monkeypatch.setattr(index, "GAP", 16)
    found = indexed(*buffers)
    assert [list(which) for which in found.groups()] == groups
    for which in found.groups():
        group = found.group(which)
        assert group.start == buffers[which[0]][0]
        assert group.end == sum(buffers[which[-1]][:2])
        assert group.begins.tolist() == [buffers[at][0] - group.start for at in which]
        assert [header.payload_crc for header in group.headers()] == list(which)
        assert group.epoch == buffers[which[0]][2]
    assert found.total() == sum(length for _, length, _ in buffers)


def test_index_gives_huge_buffers_their_own_group() -> None:
    far = (1 << 64) - 1
    found = indexed((40, far - 100, 0))
    (which,) = found.groups()
    assert found.group(which).end - found.group(which).start == far - 100
