# SPDX-License-Identifier: MIT OR GPL-2.0
"""The OProfile bridge's stream: its samples, its cookies, and how it is recorded."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from chunks import Chunk, buffer_of, chunks_of

ESC = -1
CTX_SWITCH, CPU_SWITCH, COOKIE_SWITCH, KERNEL_ENTER, KERNEL_EXIT = range(1, 6)
CTX_TGID, TRACE_BEGIN, TRACE_END = 7, 8, 9
INVALID = -1

# Two samples of a program, one in the kernel, one with callers in another file.
STREAM = [
    *(ESC, CPU_SWITCH, 1),
    *(ESC, CTX_SWITCH, 100, 7777),
    *(ESC, CTX_TGID, 100),
    *(ESC, COOKIE_SWITCH, 7777),
    *(0x1000, 0),
    *(ESC, KERNEL_ENTER),
    *(0xFFFFFFFF81000000, 1),
    *(ESC, KERNEL_EXIT),
    *(ESC, TRACE_BEGIN),
    *(0x1008, 0),
    *(ESC, COOKIE_SWITCH, 8888),
    *(0x2000, 0),
    *(0x2010, 0),
    *(ESC, TRACE_END),
    *(ESC, COOKIE_SWITCH, 7777),
    *(0x1010, 0),
]
SAMPLES = 4
LONG = 200
COOKIES = [7777, 8888]


class Scanner:
    """Scans streams and gives the new cookies and the samples."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def __call__(self, *parts: list[int]) -> tuple[list[int], int]:
        words: list[str] = []
        for part in parts:
            words += ["/", *(str(word % 2**64) for word in part)]
        run = subprocess.run(
            [self.program, *words[1:]], capture_output=True, text=True, check=True
        )
        *cookies, samples = (int(line) for line in run.stdout.split())
        return cookies, samples


@pytest.fixture(scope="module", name="scan")
def fixture_scan(programs: Path) -> Scanner:
    return Scanner(programs / "opstream_scanner")


def test_samples_are_counted_and_callers_are_not(scan: Scanner) -> None:
    assert scan(STREAM) == (COOKIES, SAMPLES)


def test_stream_may_be_cut_anywhere(scan: Scanner) -> None:
    for cut in range(len(STREAM) + 1):
        assert scan(STREAM[:cut], STREAM[cut:]) == (COOKIES, SAMPLES), cut


def test_stream_may_come_word_by_word(scan: Scanner) -> None:
    assert scan(*([word] for word in STREAM)) == (COOKIES, SAMPLES)


def test_cookies_without_a_file_are_left_out(scan: Scanner) -> None:
    stream = [ESC, COOKIE_SWITCH, 0, ESC, CTX_SWITCH, 5, INVALID, 1, 0]
    assert scan(stream) == ([], 1)


def test_cookies_are_told_once_in_the_order_of_the_stream(scan: Scanner) -> None:
    order = [50, 20, 80, 20, 10, 50, 90, 80, 30]
    stream = [word for cookie in order for word in (ESC, COOKIE_SWITCH, cookie)]
    assert scan(stream) == ([50, 20, 80, 10, 90, 30], 0)


def test_arguments_are_no_escapes(scan: Scanner) -> None:
    stream = [ESC, COOKIE_SWITCH, INVALID, ESC, CPU_SWITCH, INVALID, 5, 1]
    assert scan(stream) == ([], 1)


def test_event_may_look_like_an_escape(scan: Scanner) -> None:
    assert scan([5, ESC, COOKIE_SWITCH, 3]) == ([], 2)


@dataclass(frozen=True)
class Recorded:
    """What stream_reader printed and wrote."""

    totals: str
    chunks: list[Chunk]

    def stream(self) -> bytes:
        """The parts of the stream, put together."""
        parts = [
            buffer_of(chunk.payload) for chunk in self.chunks if chunk.kind == b"BUFR"
        ]
        for part in parts:
            assert part.context == 0
            assert part.size == len(part.pieces[0])
        return b"".join(part.pieces[0] for part in parts)

    def cookies(self) -> list[Any]:
        """What COOK chunks tell, and no other kind of chunk is there."""
        found: list[Any] = []
        for before, chunk in zip(self.chunks, self.chunks[1:]):
            if chunk.kind != b"COOK":
                continue
            told = json.loads(chunk.payload)["cookies"]
            assert before.kind == b"BUFR"
            for cookie in told:
                assert struct.pack("=Q", cookie["cookie"]) in before.payload
            found += told
        assert {chunk.kind for chunk in self.chunks} <= {b"BUFR", b"COOK"}
        return found


class Device:
    """A device that is a FIFO, with its statistics and the files of its cookies."""

    def __init__(self, program: Path, directory: Path) -> None:
        self.program = program
        self.directory = directory
        stats = "sys/formats/777a6e61-2065-7369-746e-722061650a6c/stats"
        self.stats = directory / stats
        self.stats.mkdir(parents=True)
        self.files = directory / "files"
        self.files.mkdir()
        os.mkfifo(directory / "feed")
        os.symlink("feed", directory / "device")

    def run(self, *lines: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                *(self.program, self.directory, "-e", "cpu-clock", "-o"),
                *(self.directory / "capture", "--long-smpl-periods=1000"),
                *("--smpl-module=oprofile", "true"),
            ],
            input="\n".join([*lines, ""]),
            capture_output=True,
            text=True,
            check=False,
        )

    def record(self, *parts: list[int] | str) -> Recorded:
        lines = []
        for number, part in enumerate(parts):
            if isinstance(part, str):
                lines.append(part)
                continue
            path = self.directory / f"part{number}"
            path.write_bytes(packed(part))
            lines.append(str(path))
        run = self.run(*lines)
        assert run.returncode == 0, run.stderr
        capture = (self.directory / "capture").read_bytes()
        return Recorded(run.stdout.strip(), list(chunks_of(capture)))


def packed(words: list[int]) -> bytes:
    return struct.pack(f"={len(words)}Q", *(word % 2**64 for word in words))


@pytest.fixture(name="device")
def fixture_device(programs: Path, tmp_path: Path) -> Device:
    return Device(programs / "stream_reader", tmp_path)


def test_whole_stream_is_recorded(device: Device) -> None:
    recorded = device.record(STREAM, STREAM)
    assert recorded.stream() == packed(STREAM) * 2
    assert recorded.totals == f"{2 * SAMPLES} 0"


def test_long_stream_is_recorded(device: Device) -> None:
    recorded = device.record(STREAM * LONG)
    assert recorded.stream() == packed(STREAM) * LONG
    assert recorded.totals == f"{LONG * SAMPLES} 0"


def test_empty_stream_leaves_no_chunk(device: Device) -> None:
    recorded = device.record()
    assert recorded.chunks == []
    assert recorded.totals == "0 0"


def test_cookies_are_told_behind_the_part_that_has_them_first(device: Device) -> None:
    shutil.copy("/bin/true", device.files / "7777")
    (device.files / "8888").write_bytes(b"no ELF file")
    first, second = device.record(STREAM, STREAM).cookies()
    assert first["cookie"] == 7777
    assert first["path"] == str(device.files / "7777")
    assert second == {
        "cookie": 8888,
        "path": str(device.files / "8888"),
        "build_id": None,
    }
    notes = subprocess.run(
        ["readelf", "-n", "/bin/true"], capture_output=True, text=True, check=True
    ).stdout
    assert f"Build ID: {first['build_id']}\n" in notes


def test_cookie_that_is_gone_is_left_out(device: Device) -> None:
    (device.files / "8888").write_bytes(b"no ELF file")
    (told,) = device.record(STREAM).cookies()
    assert told["cookie"] == 8888


def test_lost_are_those_of_this_session(device: Device) -> None:
    for name, count in {
        "sample_lost_overflow": 5,
        "sample_lost_no_mm": 3,
        "event_lost_overflow": 2,
        "sample_received": 100,
        "bt_lost_no_mapping": 50,
    }.items():
        (device.stats / name).write_text(f"{count}\n", "ascii")
    changes = [
        "sample_lost_overflow 25",
        "sample_received 200",
        "bt_lost_no_mapping 60",
    ]
    recorded = device.record(STREAM, *(f"stat {change}" for change in changes))
    assert recorded.totals == f"{SAMPLES} 20"


def test_missing_device_says_so(device: Device) -> None:
    (device.directory / "device").unlink()
    run = device.run()
    assert run.returncode == 1
    assert "there is no /dev/perfmon-oprofile" in run.stderr
