# SPDX-License-Identifier: MIT OR GPL-2.0
"""The header of perf.data: events, and features that describe the recording."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import Mapping, Optional, Sequence

from ..capture.session import Session
from ..text import exact_bytes
from .perf_records import BRANCH_STACK, DATA_SRC

MAGIC = b"PERFILE2"
SIZE = 104  # bytes of the header
ATTR_SIZE = 128  # bytes of struct perf_event_attr, version 7
SECTION = struct.Struct("<QQ")  # offset and size in the file
RAW = 4  # PERF_TYPE_RAW
# Flags for the records in the file: mmap, comm, mmap_data, mmap2; and sample_id_all.
FLAGS = 1 << 8 | 1 << 9 | 1 << 17 | 1 << 23 | 1 << 18
ALIGN = 64  # strings are padded to multiples of this size
KERNEL, USER, HAS_SIZE = 1, 2, 1 << 15  # misc field of a build ID record

# The offset of branch_sample_type in perf_event_attr, and its value: all kinds of
# branches, in user space and in the kernel.
BRANCH_TYPE_AT, BRANCH_TYPE = 72, 1 << 0 | 1 << 1 | 1 << 3

# A CPU ID, for x86 or arm64, in the form that captures and perf's headers share.
CPU_ID = re.compile(r"\w+,\d+,\d+,\d+|0x[0-9a-f]+")

# IDs of header features.
BUILD_ID, HOSTNAME, OSRELEASE, VERSION, ARCH = range(2, 7)
NRCPUS, CPUDESC, CPUID = 7, 8, 9
CMDLINE, EVENT_DESC, NUMA_TOPOLOGY, SAMPLE_TIME = 11, 12, 14, 21


@dataclass
class Header:
    """The description of all records.

    The events have the IDs 1, 2, ... ``kernel_id`` is the build ID of the kernel's
    symbols. ``times`` are the times of the first and the last sample.
    """

    sample_type: int
    events: Sequence[tuple[str, int]]  # name and period
    session: Session
    build_ids: Mapping[str, bytes] = field(default_factory=dict)
    kernel_id: Optional[bytes] = None
    times: Optional[tuple[int, int]] = None

    def head(self, data_size: int, attrs: int) -> bytes:
        """Returns the start of the file; ``attrs`` is the offset of the attributes."""
        each = ATTR_SIZE + SECTION.size
        bits = sum(1 << number for number in self._features())
        return (
            MAGIC
            + struct.pack("<QQ", SIZE, each)
            + SECTION.pack(attrs, each * len(self.events))
            + SECTION.pack(SIZE, data_size)
            + SECTION.pack(0, 0)
            + bits.to_bytes(32, "little")
        )

    def tail(self, at: int) -> tuple[bytes, int]:
        """Returns the data after the records, and the file offset of the attributes.

        The data start at file offset ``at``.
        """
        features = self._features()
        table, bodies = b"", b""
        first = at + SECTION.size * len(features)
        for number in sorted(features):
            table += SECTION.pack(first + len(bodies), len(features[number]))
            bodies += features[number]
        attrs = first + len(bodies)
        ids = attrs + (ATTR_SIZE + SECTION.size) * len(self.events)
        events = b"".join(
            self._attr(number) + SECTION.pack(ids + 8 * number, 8)
            for number in range(len(self.events))
        )
        numbers = range(1, len(self.events) + 1)
        identifiers = b"".join(struct.pack("<Q", number) for number in numbers)
        return table + bodies + events + identifiers, attrs

    def _attr(self, number: int) -> bytes:
        """Returns a struct perf_event_attr.

        It does not describe the event; only the event's name says what was counted.
        """
        period = self.events[number][1] % (1 << 64)
        attr = struct.pack("<IIQQQ", RAW, ATTR_SIZE, number, period, self.sample_type)
        attr = (attr + struct.pack("<QQ", 0, FLAGS)).ljust(BRANCH_TYPE_AT, b"\0")
        if self.sample_type & BRANCH_STACK:
            attr += struct.pack("<Q", BRANCH_TYPE)
        return attr.ljust(ATTR_SIZE, b"\0")

    def _features(self) -> dict[int, bytes]:
        """Returns the features, by ID."""
        session, machine = self.session, self.session.machine
        words = session.command or (session.tool,)
        found = {
            BUILD_ID: self._build_ids(),
            HOSTNAME: _text(machine.host or "(unknown)"),
            OSRELEASE: _text(machine.release),
            VERSION: _text(session.tool),
            ARCH: _text(machine.arch),
            NRCPUS: struct.pack("<II", machine.cpus, machine.cpus),
            CMDLINE: struct.pack("<I", len(words)) + b"".join(map(_text, words)),
            EVENT_DESC: self._event_desc(),
        }
        if machine.processors:
            found[CPUDESC] = _text(machine.processors[0].model or "(unknown)")
            cpuid = _cpuid(machine.processors[0].id or "")
            if cpuid:
                found[CPUID] = _text(cpuid)
        if self.sample_type & DATA_SRC:
            found[NUMA_TOPOLOGY] = _one_node(machine.cpus)
        if self.times:
            found[SAMPLE_TIME] = struct.pack("<QQ", *self.times)
        return found

    def _event_desc(self) -> bytes:
        """Returns the feature with the events and their names."""
        desc = struct.pack("<II", len(self.events), ATTR_SIZE)
        for number, (name, _) in enumerate(self.events):
            desc += self._attr(number) + struct.pack("<I", 1) + _text(name)
            desc += struct.pack("<Q", number + 1)
        return desc

    def _build_ids(self) -> bytes:
        """Returns a record for each file whose build ID is known."""
        found = [(USER, path, build_id) for path, build_id in self.build_ids.items()]
        if self.kernel_id:
            found.append((KERNEL, "[kernel.kallsyms]", self.kernel_id))
        return b"".join(
            _build_id(level, path, build_id)
            for level, path, build_id in found
            if len(build_id) <= 20
        )


def _build_id(level: int, path: str, build_id: bytes) -> bytes:
    padded = _padded(path)
    size = 8 + 4 + 24 + len(padded)
    head = struct.pack("<IHHi", 0, level | HAS_SIZE, size, -1)
    return head + struct.pack("<20sBBH", build_id, len(build_id), 0, 0) + padded


def _cpuid(name: str) -> str:
    """Returns the CPU ID if it has perf's format, otherwise ""."""
    return name if CPU_ID.fullmatch(name) else ""


def _one_node(cpus: int) -> bytes:
    """Returns a NUMA topology of one node, as captures do not record the real one."""
    return struct.pack("<IIQQ", 1, 0, 0, 0) + _text(f"0-{max(cpus, 1) - 1}")


def _text(text: str) -> bytes:
    padded = _padded(text)
    return struct.pack("<I", len(padded)) + padded


def _padded(text: str) -> bytes:
    raw = exact_bytes(text)[:4000] + b"\0"
    return raw + bytes(-len(raw) % ALIGN)
