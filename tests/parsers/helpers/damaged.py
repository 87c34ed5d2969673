# SPDX-License-Identifier: MIT OR GPL-2.0
"""Damaged captures of every format, and what a report counts in them.

A command that is given one must count what the report counts, or nothing, and say
why: ``check()`` sees to that for whatever ``Run`` does with a file.
"""

from __future__ import annotations

import io
import os
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from helpers import every_format, writers
from helpers.programs import LOAD, Program
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pfmparse.analysis.inputs import Input, Options
from pfmparse.analysis.selection import Selection
from pfmparse.commands import report_rows
from pfmparse.commands.opening import BadInput
from pfmparse.errors import PfmParseError
from pfmparse.recording import open_capture
from pfmparse.symbols.location import Detail
from pfmparse.symbols.options import SymbolOptions

HEADER = 16  # bytes of a capture's own
CHUNK = 24  # bytes of a chunk's
# For each command; others in each run if there is a number of them.
ASKED = os.environ.get("DAMAGED_CASES")
CASES = int(ASKED or 200)
LARGE = ((1 << 64) - 1, 1 << 63, 1 << 40, 1 << 32, (1 << 31) - 1)


@dataclass(frozen=True)
class Counted:
    """What a command counted; ``samples`` is None if it refused the file.

    ``said`` is what it wrote to standard error.
    """

    samples: Optional[int]
    said: str


Run = Callable[[Path], Counted]


def program() -> Program:
    """A program whose file is not there: symbols are not what these cases are about."""
    names = {"hot": 0x1100, "warm": 0x1200, "main": 0x1300}
    where = writers.mapping(LOAD + 0x1000, LOAD + 0x3000, 0x1000, "/no/program")
    return Program(Path("/no/program"), "ab" * 20, names, where, 0)


UNHARMED = every_format.captures(program())


@st.composite
def captures(draw: st.DrawFn) -> bytes:
    """A capture of some format with one to three damages."""
    data = UNHARMED[draw(st.sampled_from(sorted(UNHARMED)))]
    for _ in range(draw(st.integers(1, 3))):
        chunks = _chunks(data)
        if len(data) <= HEADER or not chunks:
            break
        damage = draw(st.sampled_from(DAMAGES))
        data = damage(draw, data, chunks)
    return data


def counted(data: bytes) -> Optional[int]:
    """What a report by address counts, None if it refuses."""
    try:
        recording = open_capture(io.BytesIO(data))
        options = Options(Selection(), SymbolOptions())
        source = Input("x", recording, options, lambda _: None, Detail.OBJECT)
        made = report_rows.make([source], report_rows.Options(["ip"]))
    except (BadInput, PfmParseError):
        return None
    return made.samples


def check(run: Run, cases: int = CASES) -> None:
    """Whatever is damaged: ``run`` counts what a report does, or nothing and why."""

    @settings(
        max_examples=cases,
        derandomize=not ASKED,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(captures())
    def agrees(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "damaged.pfm"
            path.write_bytes(data)
            found = run(path)
        if found.samples is None:
            assert found.said
        else:
            assert found.samples == counted(data)

    agrees()


def _chunks(data: bytes) -> list[tuple[int, bytes, bytes]]:
    """Where each whole chunk is, its header without checksums, and its payload."""
    found, at = [], HEADER
    while at + CHUNK <= len(data):
        length = struct.unpack_from("<Q", data, at + 8)[0]
        end = at + CHUNK + length + -length % 8
        if end > len(data):
            break
        head = data[at : at + 16]
        found.append((at, head, data[at + CHUNK : at + CHUNK + length]))
        at = end
    return found


Chunks = list[tuple[int, bytes, bytes]]


def _rebuilt(data: bytes, payloads: list[tuple[bytes, bytes]]) -> bytes:
    """A capture of these headers and payloads, with the checksums they need."""
    chunks = [
        writers.chunk(
            head[:4].decode("latin-1"), body, flags=struct.unpack_from("<I", head, 4)[0]
        )
        for head, body in payloads
    ]
    return data[:HEADER] + b"".join(chunks)


def _cut(draw: st.DrawFn, data: bytes, chunks: Chunks) -> bytes:
    """The file ends early."""
    return data[: draw(st.integers(HEADER, len(data) - 1))]


def _flipped(draw: st.DrawFn, data: bytes, chunks: Chunks) -> bytes:
    """A byte is another one, and no checksum agrees with it."""
    return _with_byte(draw, data)


def _with_byte(draw: st.DrawFn, data: bytes) -> bytes:
    at = draw(st.integers(0, len(data) - 1))
    return data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]


def _payload(draw: st.DrawFn, data: bytes, chunks: Chunks) -> bytes:
    """Something in a payload is another number, and the checksums agree."""
    parts = [(head, body) for _, head, body in chunks]
    which = draw(st.integers(0, len(parts) - 1))
    head, body = parts[which]
    if not body:
        return data
    if draw(st.booleans()) and len(body) >= 8:
        at = draw(st.integers(0, len(body) // 8 - 1)) * 8
        size = draw(st.sampled_from((2, 4, 8)))
        number = draw(st.sampled_from(LARGE) | st.integers(0, 300))
        wide = (number % (1 << 64)).to_bytes(8, "little")[:size]
        body = body[:at] + wide + body[at + size :]
    else:
        body = _with_byte(draw, body)
    parts[which] = head, body
    return _rebuilt(data, parts)


def _shortened(draw: st.DrawFn, data: bytes, chunks: Chunks) -> bytes:
    """A payload ends early, and the checksums agree."""
    parts = [(head, body) for _, head, body in chunks]
    which = draw(st.integers(0, len(parts) - 1))
    head, body = parts[which]
    parts[which] = head, body[: draw(st.integers(0, len(body)))]
    return _rebuilt(data, parts)


def _moved(draw: st.DrawFn, data: bytes, chunks: Chunks) -> bytes:
    """A chunk is missing, or there twice, or elsewhere."""
    parts = [(head, body) for _, head, body in chunks]
    part = parts[draw(st.integers(0, len(parts) - 1))]
    if draw(st.booleans()):
        parts.remove(part)
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), part)
    return _rebuilt(data, parts)


DAMAGES = (_cut, _flipped, _payload, _payload, _shortened, _moved)
