# SPDX-License-Identifier: MIT OR GPL-2.0
"""Damage captures of every format, and count their samples with a report.

A command must either count the same samples as the report, or refuse the file and
say why. ``check()`` verifies this for any ``Run``.
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
from pfmparse.commands.outcome import BadInput
from pfmparse.errors import PfmParseError
from pfmparse.recording import open_capture
from pfmparse.symbols.location import Detail, SymbolOptions

HEADER = 16  # bytes of the file header
CHUNK = 24  # bytes of a chunk header
# Cases per command. If DAMAGED_CASES is set, each run draws different cases.
ASKED = os.environ.get("DAMAGED_CASES")
CASES = int(ASKED or 200)
LARGE = ((1 << 64) - 1, 1 << 63, 1 << 40, 1 << 32, (1 << 31) - 1)


@dataclass(frozen=True)
class Counted:
    """A command's sample count; None if it cannot be compared with a report.

    ``said`` is its standard error.
    """

    samples: Optional[int]
    said: str


Run = Callable[[Path], Counted]


def program() -> Program:
    """Describe a program without a file, because these cases do not need symbols."""
    names = {"hot": 0x1100, "warm": 0x1200, "main": 0x1300}
    where = writers.mapping(LOAD + 0x1000, LOAD + 0x3000, 0x1000, "/no/program")
    return Program(Path("/no/program"), "ab" * 20, names, where, 0)


UNHARMED = every_format.captures(program())


@st.composite
def captures(draw: st.DrawFn) -> bytes:
    """Damage a capture of some format one to three times."""
    data = UNHARMED[draw(st.sampled_from(sorted(UNHARMED)))]
    for _ in range(draw(st.integers(1, 3))):
        chunks = _chunks(data)
        if len(data) <= HEADER or not chunks:
            break
        damage = draw(st.sampled_from(DAMAGES))
        data = damage(draw, data, chunks)
    return data


def counted(data: bytes) -> Optional[int]:
    """Return the samples of a report by address, or None if it fails."""
    try:
        recording = open_capture(io.BytesIO(data))
        options = Options(Selection(), SymbolOptions())
        source = Input("x", recording, options, lambda _: None, Detail.OBJECT)
        made = report_rows.make([source], report_rows.Options(["ip"]))
    except (BadInput, PfmParseError):
        return None
    return made.samples


def check(run: Run, cases: int = CASES) -> None:
    """Check that ``run`` counts damaged captures like a report, or says why not."""

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
    """Return each chunk's offset, header without checksums, and payload."""
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
    """Build a capture of these headers and payloads, with correct checksums."""
    chunks = [
        writers.chunk(
            head[:4].decode("latin-1"), body, flags=struct.unpack_from("<I", head, 4)[0]
        )
        for head, body in payloads
    ]
    return data[:HEADER] + b"".join(chunks)


def _cut(draw: st.DrawFn, data: bytes, chunks: Chunks) -> bytes:
    """Truncate the file."""
    return data[: draw(st.integers(HEADER, len(data) - 1))]


def _flipped(draw: st.DrawFn, data: bytes, chunks: Chunks) -> bytes:
    """Change a byte and leave the checksums wrong."""
    return _with_byte(draw, data)


def _with_byte(draw: st.DrawFn, data: bytes) -> bytes:
    at = draw(st.integers(0, len(data) - 1))
    return data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]


def _payload(draw: st.DrawFn, data: bytes, chunks: Chunks) -> bytes:
    """Change a number in a payload and correct the checksums."""
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
    """Truncate a payload and correct the checksums."""
    parts = [(head, body) for _, head, body in chunks]
    which = draw(st.integers(0, len(parts) - 1))
    head, body = parts[which]
    parts[which] = head, body[: draw(st.integers(0, len(body)))]
    return _rebuilt(data, parts)


def _moved(draw: st.DrawFn, data: bytes, chunks: Chunks) -> bytes:
    """Delete, duplicate or move a chunk."""
    parts = [(head, body) for _, head, body in chunks]
    part = parts[draw(st.integers(0, len(parts) - 1))]
    if draw(st.booleans()):
        parts.remove(part)
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), part)
    return _rebuilt(data, parts)


DAMAGES = (_cut, _flipped, _payload, _payload, _shortened, _moved)
