# SPDX-License-Identifier: MIT OR GPL-2.0
"""Save buffers of unknown formats that begin with the sink's header."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import pytest
from saver import Saver

UNKNOWN = "00000000-0000-4000-8000-000000000001"
FREE, FILLING, READY = range(3)
RECORD = 16
REGIONS = 3
OFFS = 128 + REGIONS * 32
SIZE = 5 * RECORD
BUFFER = OFFS + REGIONS * SIZE
OVERWRITE = 1


@dataclass(frozen=True)
class Region:
    """A region of the buffer."""

    state: int
    count: int
    seq: int

    def header(self) -> bytes:
        return struct.pack(
            "<QQQII", self.seq, self.count, self.count * RECORD, self.state, 0
        )

    def content(self) -> bytes:
        return (bytes([self.seq]) * (self.count * RECORD)).ljust(SIZE, b"\xee")


NEVER = Region(FREE, 0, seq=0)


def sink(
    fills: int,
    freed: int,
    *regions: Region,
    flags: int = 0,
    past: int = 0,
    skipped: int | None = None,
) -> bytes:
    """Return a buffer that has lost 3, 5, 7 and 11 samples for different reasons.

    With ``skipped``, 6 states of threads have been evicted. Without it, the header has
    version 1.0.
    """
    more = b"" if skipped is None else struct.pack("<4Q", skipped, 0, 6, 0)
    more_offs = 128 + len(regions) * 32
    offs = more_offs + len(more)
    filling = [region.state == FILLING for region in regions]
    header = struct.pack(
        "<8sIIQQQQIIIIQQQQQQQQ",
        *(b"pfm-sink", 1 << 16 | bool(more), 1 << 16),
        *(offs + len(regions) * SIZE, offs, SIZE),
        *(RECORD, len(regions), flags, filling.index(True) if any(filling) else 0),
        more_offs if more else 0,
        *(fills, freed, past, 0, 3, 5, 7, 11),
    )
    assert len(header) == 128
    return b"".join(
        [
            header,
            *(region.header() for region in regions),
            more,
            *(region.content() for region in regions),
        ]
    )


# Region 1 is the oldest full region. Region 0 was freed and is being filled again.
BUSY = sink(3, 1, Region(FILLING, 2, 4), Region(READY, 5, 2), Region(READY, 4, 3))
IDLE = sink(1, 1, NEVER, Region(FILLING, 3, seq=2), NEVER)
ROUND = sink(
    7, 0, Region(READY, 5, 7), Region(FILLING, 2, 8), Region(READY, 5, 6), flags=1
)
# The 3 samples of PFM_SINK_LOST_FULL are excluded: the context counts them, too.
LOST = 5 + 7 + 11


def test_sink_notification_saves_oldest_region(save: Saver) -> None:
    outcome = save(UNKNOWN, "load", BUSY, "notified", "totals")
    assert outcome.answers[1:] == ["1 1", f"5 {LOST}"]
    assert outcome.saved[0].pieces == {
        0: BUSY[:128],
        128 + 32: BUSY[128 + 32 : 128 + 64],
        OFFS + SIZE: b"\x02" * SIZE,
    }


def test_sink_notification_without_full_region(save: Saver) -> None:
    outcome = save(UNKNOWN, "load", IDLE, "notified", "totals")
    assert outcome.answers[1:] == ["0 0", f"0 {LOST}"]
    assert outcome.saved == []


def test_sink_unpublished_region_is_not_freed(save: Saver) -> None:
    content = sink(1, 1, Region(FILLING, 1, 3), Region(READY, 5, 2), NEVER)
    assert save(UNKNOWN, "load", content, "notified").answers[1:] == ["0 0"]


def test_sink_exec_saves_filling_region(save: Saver) -> None:
    outcome = save(UNKNOWN, "load", IDLE, "exec", "totals", "rest", "totals")
    # A region that is saved twice must be counted only once.
    assert outcome.answers[1:] == ["1 1", f"0 {LOST}", "1", f"3 {LOST}"]
    assert outcome.saved[0].pieces == {
        0: IDLE[:128],
        128 + 32: IDLE[128 + 32 : 128 + 64],
        OFFS + SIZE: b"\x02" * (3 * RECORD),
    }


def test_sink_end_saves_headers_and_used_parts(save: Saver) -> None:
    outcome = save(UNKNOWN, "load", BUSY, "rest", "totals")
    assert outcome.answers[1:] == ["1", f"11 {LOST}"]
    assert outcome.saved[0].pieces == {
        0: BUSY[:OFFS],
        OFFS: b"\x04" * (2 * RECORD),
        OFFS + SIZE: b"\x02" * SIZE,
        OFFS + 2 * SIZE: b"\x03" * (4 * RECORD),
    }


SKIPPED = sink(
    *(3, 1, Region(FILLING, 2, 4), Region(READY, 5, 2), Region(READY, 4, 3)),
    skipped=17,
)


def test_skipped_samples_are_no_losses(save: Saver) -> None:
    outcome = save(UNKNOWN, "load", SKIPPED, "rest", "totals", "skipped")
    assert outcome.answers[1:] == ["1", f"11 {LOST}", "17 6"]
    assert save(UNKNOWN, "load", BUSY, "skipped").answers[1:] == ["0 0"]


@pytest.mark.parametrize("moment", ["notified", "rest"])
def test_count_of_skipped_samples_is_saved(save: Saver, moment: str) -> None:
    saved = save(UNKNOWN, "load", SKIPPED, moment).saved[0].pieces
    at = max(offset for offset in saved if offset <= OFFS)
    assert saved[at][OFFS - at : OFFS - at + 8] == struct.pack("<Q", 17)


def test_sink_unfreed_region_is_saved_at_end_only(save: Saver) -> None:
    outcome = save(UNKNOWN, "load", BUSY, "detached", "rest", "totals")
    assert outcome.answers[1:] == ["0 0", "1", f"11 {LOST}"]
    assert len(outcome.saved) == 1


def test_samples_of_table_are_counted_once(save: Saver) -> None:
    full = sink(1, 0, Region(READY, 5, 1), past=20)
    emptied = sink(1, 1, Region(FILLING, 2, 2), past=30)
    outcome = save(
        *(UNKNOWN, "load", full, "notified", "totals"),
        *("load", emptied, "exec", "totals", "rest", "totals"),
    )
    totals = [answer for answer in outcome.answers if answer.endswith(f" {LOST}")]
    assert totals == [f"{count} {LOST}" for count in (25, 32, 32)]


def test_frozen_recorder_is_saved_whole(save: Saver) -> None:
    outcome = save(UNKNOWN, "load", ROUND, "notified", "totals")
    assert outcome.answers[1:] == ["1 1", f"12 {LOST}"]
    assert outcome.saved[0].pieces == {
        0: ROUND[:OFFS],
        OFFS: b"\x07" * SIZE,
        OFFS + SIZE: b"\x08" * (2 * RECORD),
        OFFS + 2 * SIZE: b"\x06" * SIZE,
    }


@pytest.mark.parametrize(
    ("oldest", "intact"),
    [(Region(READY, 5, seq=2), "1"), (Region(FILLING, 5, seq=5), "0")],
)
def test_sink_detects_change_during_copy(
    save: Saver, oldest: Region, intact: str
) -> None:
    now = sink(3, 1, Region(FILLING, 3, 4), oldest, Region(READY, 4, 3))
    outcome = save(UNKNOWN, "load", BUSY, "notified", "intact", now)
    assert outcome.answers[-1] == intact


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, struct.pack("<8s", b"pfm-sinj")),
        (8, struct.pack("<I", 2 << 16)),
        (24, struct.pack("<Q", OFFS - 1)),
        (24, struct.pack("<Q", 2**64 - 1)),
        (32, struct.pack("<Q", SIZE + 1)),
        (32, struct.pack("<Q", 0)),
        (48, struct.pack("<I", 0)),
        (48, struct.pack("<I", 65)),
        (60, struct.pack("<I", OFFS)),
    ],
)
def test_invalid_sink_is_saved_whole_uncounted(
    save: Saver, at: int, value: bytes
) -> None:
    broken = BUSY[:at] + value + BUSY[at + len(value) :]
    outcome = save(UNKNOWN, "load", broken, "notified", "totals")
    assert outcome.answers[1:] == ["1 1", "0 0"]
    assert outcome.saved[0].pieces == {0: broken}


def test_sink_used_size_is_limited_to_region(save: Saver) -> None:
    broken = bytearray(BUSY)
    broken[128 + 16 : 128 + 24] = struct.pack("<Q", 2**63)
    outcome = save(UNKNOWN, "load", bytes(broken), "rest")
    assert len(outcome.saved[0].pieces[OFFS]) == SIZE
