# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write the samples as a capture with buffers of one of several formats."""

from __future__ import annotations

from typing import Any, BinaryIO, Callable, Iterator

import numpy as np
from content import PERIOD, PID, SLICE, Block, Content
from helpers import writers

COOKIE = 5
REGIONS = 4
LOW = 0x8000000  # address of the program's code for 32-bit records
ENTRY = np.dtype(
    [
        ("pid", "<u4"),
        ("ovfl_pmd", "<u2"),
        ("reserved", "<u2"),
        ("last_reset_val", "<u8"),
        ("ip", "<u8"),
        ("tstamp", "<u8"),
        ("cpu", "<u2"),
        ("set", "<u2"),
        ("tgid", "<u4"),
    ]
)

Encode = Callable[[Content, Block], bytes]


def default(_: Content, block: Block) -> bytes:
    """Return a buffer of the default format."""
    body = _entries(block).tobytes()
    size = writers.HDR_SIZE + len(body)
    return writers.header(block.ip.size, size, buf_size=size) + body


def nway(_: Content, block: Block) -> bytes:
    """Return an n-way buffer in which all regions were handed out."""
    number = -(-block.ip.size // REGIONS)
    entries = _entries(block)
    parts = [entries[n * number : (n + 1) * number] for n in range(REGIONS)]
    first = int(block.time[0])  # increases from buffer to buffer
    headers = [
        writers.NwayRegion(first + n, writers.READY, (), part.size, part.nbytes)
        for n, part in enumerate(parts)
    ]
    size = number * ENTRY.itemsize
    data = writers.nway_header(REGIONS, size)
    data += b"".join(header.header() for header in headers)
    return data + b"".join(part.tobytes().ljust(size, b"\0") for part in parts)


def pebs(uuid: str, size: int) -> Encode:
    """Return a function that makes buffers of PEBS records of this size."""
    names = writers.PEBS_RECORDS[uuid, size]
    record = np.dtype([(name, f"<u{size // len(names)}") for name in names])

    def encode(content: Content, block: Block) -> bytes:
        rows = np.zeros(block.ip.size, record)
        # Records with 32-bit addresses need a program that is mapped at a low address.
        low = content.program.start - LOW if size == 40 else 0
        rows["ip"] = block.ip - np.uint64(low)
        for name, value in (("status", 1), ("real_ip", block.ip)):
            if name in names:
                rows[name] = value
        if "tsc" in names:
            rows["tsc"] = block.time
        start = 256
        end = start + rows.nbytes
        fields = {"index": end, "max": end, "buf_size": end}
        return writers.pebs([], uuid, size, **fields) + rows.tobytes()

    return encode


def oprofile(content: Content, block: Block) -> bytes:
    """Return a part of the stream. Each time slice begins with four escape codes."""
    escapes = np.array(
        writers.oprofile_words(
            [("cpu", 0), ("ctx", 0, COOKIE), ("tgid", PID), ("cookie", COOKIE)]
        ),
        np.uint64,
    )
    slices = -(-block.ip.size // SLICE)
    words = np.zeros((slices, escapes.size + 2 * SLICE), np.uint64)
    words[:, : escapes.size] = escapes
    words[:, 2] = block.cpu[::SLICE]
    words[:, 5] = block.tid[::SLICE]
    offsets = np.zeros(slices * SLICE, np.uint64)
    program = content.program
    offsets[: block.ip.size] = block.ip - np.uint64(program.start - program.offset)
    words[:, escapes.size :: 2] = offsets.reshape(slices, SLICE)
    missing = offsets.size - block.ip.size
    return words.tobytes()[: words.nbytes - 16 * missing]


# The UUID of each format, and the function that makes its buffers.
FORMATS: dict[str, tuple[str, Encode]] = {
    "default": (writers.UUID_2_2, default),
    "nway": (writers.UUID_NWAY, nway),
    "pebs32": (writers.UUID_PEBS32, pebs(writers.UUID_PEBS32, 40)),
    "pebs64, 144 bytes": (writers.UUID_PEBS64, pebs(writers.UUID_PEBS64, 144)),
    "pebs64, 200 bytes": (writers.UUID_PEBS64, pebs(writers.UUID_PEBS64, 200)),
    "oprofile": (writers.UUID_OPROFILE, oprofile),
}


def write(content: Content, name: str, entries: int, out: BinaryIO) -> None:
    """Write a capture with ``entries`` samples per buffer."""
    uuid, encode = FORMATS[name]
    program = content.program
    start = LOW if name == "pebs32" else program.start
    mapping = writers.mapping(
        start, start + program.size, program.offset, program.path, program.build_id
    )
    files = [(COOKIE, program.path, program.build_id)]
    out.write(
        writers.capture(
            writers.json_chunk("SESS", writers.session(uuid=uuid)),
            writers.json_chunk("MAPS", writers.maps(PID, [mapping], "pfmon")),
            writers.cook(files) if uuid == writers.UUID_OPROFILE else b"",
        )
    )
    for block in _buffers(content, entries):
        out.write(writers.bufr(encode(content, block)))
    out.write(writers.json_chunk("DONE", writers.totals(content.count, 0, 0)))


def _buffers(content: Content, entries: int) -> Iterator[Block]:
    """Yield the samples in blocks of ``entries`` samples."""
    for block in content.blocks():
        for start in range(0, block.ip.size, entries):
            part = slice(start, start + entries)
            yield Block(
                block.ip[part], block.tid[part], block.time[part], block.cpu[part]
            )


def _entries(block: Block) -> np.ndarray[Any, np.dtype[np.void]]:
    """Return the samples as entries of the default format."""
    rows = np.zeros(block.ip.size, ENTRY)
    rows["pid"], rows["tgid"] = block.tid, PID
    rows["last_reset_val"] = (1 << 64) - PERIOD
    rows["ip"], rows["tstamp"], rows["cpu"] = block.ip, block.time, block.cpu
    return rows
