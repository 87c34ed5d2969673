# SPDX-License-Identifier: MIT OR GPL-2.0
"""Record the stream of a simulated device with stream_reader."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunks import Chunk, buffer_of, chunks_of

ESC = -1
CTX_SWITCH, CPU_SWITCH, COOKIE_SWITCH, KERNEL_ENTER, KERNEL_EXIT = range(1, 6)
CTX_TGID, TRACE_BEGIN, TRACE_END = 7, 8, 9
INVALID = -1

# Four samples of a program. The second one is in the kernel. The third one, between
# TRACE_BEGIN and TRACE_END, has a call chain of two callers in another file, whose
# cookie is 8888.
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


@dataclass(frozen=True)
class Recorded:
    """The output of stream_reader, and the chunks of the capture it has written."""

    totals: str
    chunks: list[Chunk]

    def stream(self) -> bytes:
        """Return the stream: its recorded parts, joined."""
        parts = [
            buffer_of(chunk.payload) for chunk in self.chunks if chunk.kind == b"BUFR"
        ]
        for part in parts:
            assert part.context == 0
            assert part.size == len(part.pieces[0])
        return b"".join(part.pieces[0] for part in parts)

    def cookies(self) -> list[Any]:
        """Return the cookies. All chunks must be COOK or BUFR chunks."""
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


OPROFILE = "777a6e61-2065-7369-746e-722061650a6c"


class Device:
    """A FIFO that replaces a device, with files for its statistics and cookies."""

    def __init__(self, program: Path, directory: Path, uuid: str = OPROFILE) -> None:
        self.program = program
        self.directory = directory
        self.uuid = uuid
        self.format = directory / "sys/formats" / uuid
        self.stats = self.format / "stats"
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
                *(f"--smpl-module={self.uuid}", "true"),
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
