# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the n-way format's argument, and save parts of its buffers."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import pytest
from saver import ENTRY, Saver
from sessions import Printer, room, without_kernel

FREE, FILLING, READY = range(3)
NWAY_OFFS = 128 + 4 * 64
NWAY_REGION = 5 * ENTRY
NWAY_SIZE = NWAY_OFFS + 4 * NWAY_REGION


@dataclass(frozen=True)
class Region:
    """A region of an n-way buffer."""

    state: int
    count: int
    seq: int

    def header(self) -> bytes:
        return struct.pack(
            "<QIIQQ32x", self.seq, self.state, 0, self.count, self.count * ENTRY
        )

    def content(self) -> bytes:
        filled = bytes([self.seq]) * (self.count * ENTRY)
        return filled.ljust(NWAY_REGION, b"\xee")


def nway_header(handed_out: int, freed: int, current: int, overwritten: int) -> bytes:
    places = struct.pack("<QQQQ", NWAY_SIZE, NWAY_OFFS, NWAY_REGION, ENTRY)
    numbers = struct.pack("<IIII", 4, 1 << 16, 0, current)
    counters = struct.pack("<QQQQ", handed_out, freed, overwritten, 7)
    return (places + numbers + counters).ljust(128, b"\0")


def nway(handed_out: int, freed: int, *regions: Region, overwritten: int = 0) -> bytes:
    filling = [region.state == FILLING for region in regions]
    current = filling.index(True) if True in filling else 0
    return b"".join(
        [
            nway_header(handed_out, freed, current, overwritten),
            *(region.header() for region in regions),
            *(region.content() for region in regions),
        ]
    )


# Region 1 is the oldest full region. Region 0 was freed and is being filled again.
BUSY = nway(
    3,
    1,
    Region(FILLING, 2, seq=5),
    Region(READY, 5, seq=2),
    Region(READY, 4, seq=3),
    Region(FREE, 5, seq=1),
    overwritten=9,
)

IDLE = nway(
    2,
    2,
    Region(FREE, 5, seq=1),
    Region(FREE, 5, seq=2),
    Region(FILLING, 3, seq=3),
    Region(FREE, 0, seq=0),
)


@pytest.mark.parametrize(
    ("options", "regions", "flags", "per_region"),
    [
        ((), 4, 0, 3),
        (("--smpl-regions=2",), 2, 0, 5),
        (("--smpl-regions=64", "--smpl-mask-when-full"), 64, 1, 1),
    ],
)
def test_nway_regions_share_the_entries(
    printer: Printer,
    options: tuple[str, ...],
    regions: int,
    flags: int,
    per_region: int,
) -> None:
    without_kernel()
    arg = printer.arg("--smpl-module=nway", "--smpl-entries=10", *options)
    size = 128 + 64 * regions + regions * room(per_region, pmds=1)
    assert arg == struct.pack("<QII48x", size, flags, regions)


def test_nway_notification_saves_oldest_and_restarts(save: Saver) -> None:
    outcome = save("nway", "load", BUSY, "notified", "totals")
    assert outcome.answers[1:] == ["1 1", "5 9"]
    (buffer,) = outcome.saved
    assert buffer.size == NWAY_SIZE
    at = NWAY_OFFS + NWAY_REGION
    assert buffer.pieces == {
        0: BUSY[:128],
        128 + 64: BUSY[128 + 64 : 128 + 2 * 64],
        at: b"\x02" * (5 * ENTRY),
    }


def test_nway_notifications_save_regions_in_order(save: Saver) -> None:
    later = nway(
        6,
        6,
        Region(FILLING, 2, seq=5),
        Region(FREE, 5, seq=2),
        Region(READY, 4, seq=3),
        Region(FREE, 5, seq=1),
    )
    ready = bytearray(later)
    ready[48:56] = struct.pack("<Q", 7)
    outcome = save("nway", "load", bytes(ready), "notified")
    assert list(outcome.saved[0].pieces)[1:] == [
        128 + 2 * 64,
        NWAY_OFFS + 2 * NWAY_REGION,
    ]


def test_nway_notification_without_full_region(save: Saver) -> None:
    outcome = save("nway", "load", IDLE, "notified", "totals")
    assert outcome.answers[1:] == ["0 0", "0 0"]
    assert outcome.saved == []


@pytest.mark.parametrize("family", [(), ("family",)])
def test_nway_thread_masked_without_full_region_goes_on(
    save: Saver, family: tuple[str, ...]
) -> None:
    outcome = save("nway", "load", IDLE, *family, "overflow")
    assert outcome.answers[1:] == ["0 1"]
    assert outcome.saved == []


def test_nway_unpublished_region_is_not_freed(save: Saver) -> None:
    rest = [Region(FREE, 5, seq=1)] * 3
    content = nway(4, 4, Region(READY, 5, seq=5), *rest)
    outcome = save("nway", "load", content, "notified", "totals")
    assert outcome.answers[1:] == ["0 0", "0 0"]


def test_nway_unfreed_region_is_saved_at_end_only(save: Saver) -> None:
    outcome = save("nway", "load", BUSY, "detached", "rest", "totals")
    assert outcome.answers[1:] == ["0 0", "1", "11 9"]
    assert len(outcome.saved) == 1


def test_nway_exec_saves_filling_region(save: Saver) -> None:
    outcome = save("nway", "load", IDLE, "exec", "totals", "rest", "totals")
    # A region that is saved twice must be counted only once.
    assert outcome.answers[1:] == ["1 1", "0 0", "1", "3 0"]
    assert outcome.saved[0].pieces == {
        0: IDLE[:128],
        128 + 2 * 64: IDLE[128 + 2 * 64 : 128 + 3 * 64],
        NWAY_OFFS + 2 * NWAY_REGION: b"\x03" * (3 * ENTRY),
    }


def test_nway_exec_saves_region_before_restart(save: Saver) -> None:
    outcome = save("nway", "load", BUSY, "exec", "totals")
    assert outcome.answers[1:] == ["1 1", "5 9"]
    assert NWAY_OFFS + NWAY_REGION in outcome.saved[0].pieces


def test_nway_exec_without_samples_saves_nothing(save: Saver) -> None:
    empty = nway(0, 0, Region(FILLING, 0, seq=1), *[Region(FREE, 0, seq=0)] * 3)
    outcome = save("nway", "load", empty, "exec")
    assert outcome.answers[1:] == ["0 0"]
    assert outcome.saved == []


def test_nway_end_saves_headers_and_used_regions(save: Saver) -> None:
    outcome = save("nway", "load", BUSY, "rest", "totals")
    assert outcome.answers[1:] == ["1", "11 9"]
    (buffer,) = outcome.saved
    assert buffer.pieces == {
        0: BUSY[:NWAY_OFFS],
        NWAY_OFFS: b"\x05" * (2 * ENTRY),
        NWAY_OFFS + NWAY_REGION: b"\x02" * (5 * ENTRY),
        NWAY_OFFS + 2 * NWAY_REGION: b"\x03" * (4 * ENTRY),
    }


def test_nway_end_without_samples_saves_headers(save: Saver) -> None:
    empty = nway(0, 0, Region(FILLING, 0, seq=1), *[Region(FREE, 0, seq=0)] * 3)
    outcome = save("nway", "load", empty, "rest")
    assert outcome.saved[0].pieces == {0: empty[:NWAY_OFFS]}


@pytest.mark.parametrize(
    ("oldest", "intact"),
    [
        (Region(READY, 5, seq=2), "1"),
        (Region(READY, 5, seq=6), "0"),
        (Region(FILLING, 5, seq=2), "0"),
    ],
)
def test_nway_detects_change_during_copy(
    save: Saver, oldest: Region, intact: str
) -> None:
    now = nway(3, 1, Region(FILLING, 3, seq=5), oldest, *[Region(READY, 4, seq=3)] * 2)
    outcome = save("nway", "load", BUSY, "notified", "intact", now)
    assert outcome.answers[-1] == intact


def test_invalid_nway_header_saves_whole_buffer(save: Saver) -> None:
    broken = bytearray(BUSY)
    broken[16:24] = struct.pack("<Q", NWAY_REGION + 8)
    outcome = save("nway", "load", bytes(broken), "notified", "totals")
    assert outcome.answers[1:] == ["1 1", "0 9"]
    assert outcome.saved[0].pieces == {0: bytes(broken)}
