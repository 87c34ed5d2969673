# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the arguments of the PEBS formats, and save parts of their buffers."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from saver import Saver
from sessions import PERIOD, Printer


@pytest.mark.parametrize(("options", "flags"), [((), 0), (("--smpl-imprecise",), 1)])
def test_pebs32_has_room_for_the_entries(
    printer: Printer, options: tuple[str, ...], flags: int
) -> None:
    arg = printer.arg("--smpl-module=pebs32", "--smpl-entries=10", *options)
    reset = 2**64 - PERIOD
    assert arg == struct.pack("<IIIQ20x", 256 + 10 * 40, 10, flags, reset)


@pytest.mark.parametrize(
    ("options", "record", "flags"),
    [
        ((), 144, 0),
        (("--smpl-record=base",), 144, 0),
        (("--smpl-record=nehalem",), 176, 0x10),
        (("--smpl-record=haswell",), 192, 0x20),
        (("--smpl-record=skylake", "--smpl-imprecise"), 200, 0x31),
    ],
)
def test_pebs64_has_room_for_the_entries(
    printer: Printer, options: tuple[str, ...], record: int, flags: int
) -> None:
    arg = printer.arg("--smpl-module=pebs64", "--smpl-entries=10", *options)
    reset = 2**64 - PERIOD
    size = 256 + 10 * record
    assert arg == struct.pack("<QQI4xQ24x", size, 10, flags, reset)


@pytest.mark.parametrize("name", ["pebs32", "pebs64"])
def test_pebs_counter_is_loaded_with_the_short_period(
    printer: Printer, name: str
) -> None:
    arg = printer.arg(f"--smpl-module={name}", "--short-smpl-periods=300")
    assert struct.pack("<Q", 2**64 - 300) in arg
    assert struct.pack("<Q", 2**64 - 1000) not in arg


def test_largest_pebs32_buffer(printer: Printer) -> None:
    arg = printer.arg("--smpl-module=pebs32", "--smpl-entries=107374175")
    assert struct.unpack_from("<I", arg) == (256 + 107374175 * 40,)


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
def test_invalid_pebs_index_saves_whole_buffer(
    save: Saver, module: str, make: Callable[[int], bytes], index: int
) -> None:
    content = make(index)
    outcome = save(module, "load", content, "rest")
    assert outcome.saved[0].pieces == {0: content}
