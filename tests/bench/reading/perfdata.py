# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write the samples as a perf.data file with one event and no feature sections."""

from __future__ import annotations

import struct
from typing import BinaryIO

import numpy as np
from content import PERIOD, PID, THREADS, Content

HEADER_SIZE = 104
ATTR_SIZE = 112  # of struct perf_event_attr, version 5
SECTION_SIZE = 16
DATA_AT = HEADER_SIZE + ATTR_SIZE + SECTION_SIZE

SAMPLE_TYPE = 0x1 | 0x2 | 0x4 | 0x80 | 0x100  # IP, TID, TIME, CPU, PERIOD
FLAGS = 1 << 5 | 1 << 8 | 1 << 9 | 1 << 23  # exclude_kernel, mmap, comm, mmap2

COMM, SAMPLE, MMAP2, FINISHED_ROUND = 3, 9, 10, 68
USER = 2
EXECUTABLE = 0x4 | 0x1
PRIVATE = 0x2
ROUND = 8192  # samples before each FINISHED_ROUND record, which makes perf sort them

SAMPLES = np.dtype(
    [
        ("type", "<u4"),
        ("misc", "<u2"),
        ("size", "<u2"),
        ("ip", "<u8"),
        ("pid", "<u4"),
        ("tid", "<u4"),
        ("time", "<u8"),
        ("cpu", "<u4"),
        ("reserved", "<u4"),
        ("period", "<u8"),
    ]
)


def write(content: Content, out: BinaryIO) -> None:
    """Write the file to ``out``, which must be seekable."""
    out.write(bytes(HEADER_SIZE) + _attr() + struct.pack("<QQ", 0, 0))
    out.write(_processes(content))
    for block in content.blocks():
        rows = np.zeros(block.ip.size, SAMPLES)
        rows["type"], rows["misc"], rows["size"] = SAMPLE, USER, SAMPLES.itemsize
        rows["pid"], rows["period"] = PID, PERIOD
        rows["ip"], rows["tid"] = block.ip, block.tid
        rows["time"], rows["cpu"] = block.time, block.cpu
        for start in range(0, rows.size, ROUND):
            out.write(rows[start : start + ROUND].tobytes())
            out.write(struct.pack("<IHH", FINISHED_ROUND, 0, 8))
    size = out.tell() - DATA_AT
    out.seek(0)
    out.write(_header(size))


def _header(data_size: int) -> bytes:
    """Return the file's header with the positions of the attribute and the records."""
    attr = ATTR_SIZE + SECTION_SIZE
    head = b"PERFILE2" + struct.pack("<QQ", HEADER_SIZE, attr)
    head += struct.pack("<QQ", HEADER_SIZE, attr)
    head += struct.pack("<QQ", DATA_AT, data_size)
    return head.ljust(HEADER_SIZE, b"\0")


def _attr() -> bytes:
    """Return the struct perf_event_attr of the hardware event cycles."""
    attr = struct.pack("<IIQQQ", 0, ATTR_SIZE, 0, PERIOD, SAMPLE_TYPE)
    return (attr + struct.pack("<QQ", 0, FLAGS)).ljust(ATTR_SIZE, b"\0")


def _processes(content: Content) -> bytes:
    """Return the threads' names and the program's mapping."""
    program = content.program
    records = b""
    for tid in range(PID, PID + THREADS):
        records += _record(COMM, struct.pack("<II", PID, tid), "pfmon")
    body = struct.pack("<IIQQQ", PID, PID, program.start, program.size, program.offset)
    body += struct.pack("<IIQQII", 0, 0, 0, 0, EXECUTABLE, PRIVATE)
    return records + _record(MMAP2, body, program.path)


def _record(kind: int, body: bytes, name: str) -> bytes:
    body += name.encode() + b"\0"
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, USER, 8 + len(body)) + body
