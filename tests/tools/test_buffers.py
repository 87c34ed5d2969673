# SPDX-License-Identifier: MIT OR GPL-2.0
"""What pfmon saves of sampling buffers, at a notification and at the end."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from chunks import Buffer, buffers_of

FREE, FILLING, READY = range(3)
ENTRY = 40
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


@dataclass(frozen=True)
class Outcome:
    """What buffer_saver answered, and what it wrote."""

    answers: list[str]
    saved: list[Buffer]


Saver = Callable[..., Outcome]


@pytest.fixture(name="save")
def fixture_save(programs: Path, tmp_path: Path) -> Saver:
    """Return a function that runs commands; bytes become the names of files."""

    def run(module: str, *commands: str | bytes) -> Outcome:
        lines: list[str] = []
        for number, command in enumerate(commands):
            if isinstance(command, bytes):
                path = tmp_path / f"{number}"
                path.write_bytes(command)
                lines[-1] += f" {path}"
            else:
                lines.append(command)
        capture = tmp_path / "capture"
        done = subprocess.run(
            [
                programs / "buffer_saver",
                *("-e", "cpu-clock", "--long-smpl-periods=1000", "-o", capture),
                *(f"--smpl-module={module}", "true"),
            ],
            input="\n".join([*lines, ""]),
            capture_output=True,
            text=True,
            check=True,
        )
        return Outcome(done.stdout.splitlines(), buffers_of(capture.read_bytes()))

    return run


# Region 1 is the oldest that is handed out, 0 was freed and is being filled again.
BUSY = nway(
    3,
    1,
    Region(FILLING, 2, seq=5),
    Region(READY, 5, seq=2),
    Region(READY, 4, seq=3),
    Region(FREE, 5, seq=1),
    overwritten=9,
)


def test_notification_saves_the_oldest_region_and_restarts(save: Saver) -> None:
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


def test_each_notification_takes_the_next_region(save: Saver) -> None:
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


def test_notification_without_a_full_region_frees_nothing(save: Saver) -> None:
    outcome = save("nway", "load", IDLE, "notified", "totals")
    assert outcome.answers[1:] == ["0 0", "0 0"]
    assert outcome.saved == []


def test_region_that_is_about_to_be_handed_out_is_left_alone(save: Saver) -> None:
    rest = [Region(FREE, 5, seq=1)] * 3
    content = nway(4, 4, Region(READY, 5, seq=5), *rest)
    outcome = save("nway", "load", content, "notified", "totals")
    assert outcome.answers[1:] == ["0 0", "0 0"]


def test_region_that_could_not_be_freed_is_saved_at_the_end_only(save: Saver) -> None:
    outcome = save("nway", "load", BUSY, "detached", "rest", "totals")
    assert outcome.answers[1:] == ["0 0", "1", "11 9"]
    assert len(outcome.saved) == 1


IDLE = nway(
    2,
    2,
    Region(FREE, 5, seq=1),
    Region(FREE, 5, seq=2),
    Region(FILLING, 3, seq=3),
    Region(FREE, 0, seq=0),
)


def test_exec_saves_the_region_that_is_being_filled(save: Saver) -> None:
    outcome = save("nway", "load", IDLE, "exec", "totals", "rest", "totals")
    # What is saved again is counted once.
    assert outcome.answers[1:] == ["1 1", "0 0", "1", "3 0"]
    assert outcome.saved[0].pieces == {
        0: IDLE[:128],
        128 + 2 * 64: IDLE[128 + 2 * 64 : 128 + 3 * 64],
        NWAY_OFFS + 2 * NWAY_REGION: b"\x03" * (3 * ENTRY),
    }


def test_exec_saves_a_region_before_a_restart_frees_it(save: Saver) -> None:
    outcome = save("nway", "load", BUSY, "exec", "totals")
    assert outcome.answers[1:] == ["1 1", "5 9"]
    assert NWAY_OFFS + NWAY_REGION in outcome.saved[0].pieces


def test_exec_without_samples_saves_nothing(save: Saver) -> None:
    empty = nway(0, 0, Region(FILLING, 0, seq=1), *[Region(FREE, 0, seq=0)] * 3)
    outcome = save("nway", "load", empty, "exec")
    assert outcome.answers[1:] == ["0 0"]
    assert outcome.saved == []


def test_end_saves_all_headers_and_the_regions_with_samples(save: Saver) -> None:
    outcome = save("nway", "load", BUSY, "rest", "totals")
    assert outcome.answers[1:] == ["1", "11 9"]
    (buffer,) = outcome.saved
    assert buffer.pieces == {
        0: BUSY[:NWAY_OFFS],
        NWAY_OFFS: b"\x05" * (2 * ENTRY),
        NWAY_OFFS + NWAY_REGION: b"\x02" * (5 * ENTRY),
        NWAY_OFFS + 2 * NWAY_REGION: b"\x03" * (4 * ENTRY),
    }


def test_end_of_an_empty_nway_buffer_saves_its_headers(save: Saver) -> None:
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
def test_region_that_changed_while_it_was_copied_is_noticed(
    save: Saver, oldest: Region, intact: str
) -> None:
    now = nway(3, 1, Region(FILLING, 3, seq=5), oldest, *[Region(READY, 4, seq=3)] * 2)
    outcome = save("nway", "load", BUSY, "notified", "intact", now)
    assert outcome.answers[-1] == intact


def test_nonsense_in_the_nway_header_leaves_the_whole_buffer(save: Saver) -> None:
    broken = bytearray(BUSY)
    broken[16:24] = struct.pack("<Q", NWAY_REGION + 8)
    outcome = save("nway", "load", bytes(broken), "notified", "totals")
    assert outcome.answers[1:] == ["1 1", "0 9"]
    assert outcome.saved[0].pieces == {0: bytes(broken)}


def pebs32(index: int) -> bytes:
    header = struct.pack("<QIIII", 3, 2000, 256 - 84, 1 << 16, 0)
    counters = struct.pack("<IQQ", 40, 5, 6)
    area = struct.pack("<8IQ", 0, 0, 0, 0, 256, index, 2000, 2000, 0)
    return (header + counters + area).ljust(256, b"\0") + bytes(range(200)) * 10


def pebs64(index: int) -> bytes:
    header = struct.pack("<QQQIIII", 3, 2000, 256 - 128, 1 << 16, 0, 0, 144)
    area = struct.pack("<9Q", 0, 0, 0, 0, 256, index, 2000, 2000, 0)
    counters = struct.pack("<QQ", 5, 6)
    return (header + counters + area).ljust(256, b"\0") + bytes(range(200)) * 10


@pytest.mark.parametrize(
    ("module", "make", "record"), [("pebs32", pebs32, 40), ("pebs64", pebs64, 144)]
)
@pytest.mark.parametrize("count", [0, 1, 7])
def test_pebs_buffer_is_saved_up_to_its_index(
    save: Saver, module: str, make: Callable[[int], bytes], record: int, count: int
) -> None:
    content = make(256 + count * record)
    outcome = save(module, "load", content, "notified", "totals")
    assert outcome.answers[1:] == ["1 1", f"{count} 11"]
    assert outcome.saved[0].pieces == {0: content[: 256 + count * record]}


@pytest.mark.parametrize(("module", "make"), [("pebs32", pebs32), ("pebs64", pebs64)])
@pytest.mark.parametrize("index", [0, 83, 2**32 - 1])
def test_pebs_index_outside_of_the_buffer_leaves_it_whole(
    save: Saver, module: str, make: Callable[[int], bytes], index: int
) -> None:
    content = make(index)
    outcome = save(module, "load", content, "rest")
    assert outcome.saved[0].pieces == {0: content}


def test_default_buffer_is_saved_up_to_its_last_entry(save: Saver) -> None:
    entries = b"\x11" * (2 * ENTRY)
    header = struct.pack("<QQ112x", 2, 128 + len(entries))
    outcome = save("default", "load", header + entries.ljust(400), "notified", "totals")
    assert outcome.answers[1:] == ["1 1", "2 0"]
    assert outcome.saved[0].pieces == {0: header + entries}


@pytest.mark.parametrize("offset", [0, 127, 129 + 400, 2**64 - 1])
def test_default_offset_outside_of_the_buffer_leaves_it_whole(
    save: Saver, offset: int
) -> None:
    content = struct.pack("<QQ112x", 2, offset) + bytes(400)
    outcome = save("default", "load", content, "rest")
    assert outcome.saved[0].pieces == {0: content}


def test_buffer_without_a_whole_header_has_no_samples(save: Saver) -> None:
    content = struct.pack("<QQ", 2, 128 + 2 * ENTRY) + bytes(100)
    outcome = save("default", "load", content, "rest", "totals")
    assert outcome.answers[1:] == ["1", "0 0"]
    assert outcome.saved[0].pieces == {0: content}


def test_buffer_of_an_ended_thread_is_saved_once(save: Saver) -> None:
    header = struct.pack("<QQ112x", 1, 128 + ENTRY)
    content = header + bytes(400)
    outcome = save("default", "load", content, "detached", "rest", "totals")
    assert outcome.answers[1:] == ["0 0", "1", "1 0"]
    assert len(outcome.saved) == 1
