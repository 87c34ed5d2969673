# SPDX-License-Identifier: MIT OR GPL-2.0
"""Events of processes and of the kernel's code: the PROC chunks (docs/capture.md)."""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass
from typing import Iterator, Optional, Union

from ..errors import PfmParseError
from ..layout import KERNEL_START
from .maps import FileState, Mapping

HEADER = struct.Struct("<IIQII")  # size, kind, time, tgid, tid
FORK_PART = struct.Struct("<II")  # ppid, ptid
MAP_PART = struct.Struct("<QQQIIQQ")  # start, end, offset, prot, id_size, size, mtime
CODE_PART = struct.Struct("<QQII")  # start, end, type, flags
FORK, EXEC, NAME, MAP, CODE = 1, 2, 3, 4, 5  # kinds of events
READ, WRITE, EXECUTE, SHARED = 1, 2, 4, 8  # bits of prot
BPF = 1  # type of code
GONE = 1  # bit of flags
MAX_BUILD_ID = 64  # bytes
MAX_NAME = 512  # characters of a function's name: KSYM_NAME_LEN of the kernel


@dataclass(frozen=True)
class Fork:
    """Thread ``ptid`` of process ``ppid`` created a process or a thread."""

    time: int
    tgid: int
    tid: int
    ppid: int
    ptid: int

    @property
    def of_process(self) -> bool:
        """True if a process was created, not a thread."""
        return self.tid == self.tgid


@dataclass(frozen=True)
class Exec:
    """A process executed a program, which replaced all mappings.

    ``cgroup`` is its control group, None if it could not be read.
    """

    time: int
    tgid: int
    tid: int
    comm: str
    cgroup: Optional[str]


@dataclass(frozen=True)
class Name:
    """A thread changed its name."""

    time: int
    tgid: int
    tid: int
    comm: str


@dataclass(frozen=True)
class Mapped:
    """A process mapped a file or memory."""

    time: int
    tgid: int
    mapping: Mapping


@dataclass(frozen=True)
class Code:
    """The kernel generated a function or, if ``gone``, is about to free it.

    ``bpf`` is True for BPF programs and trampolines.
    """

    time: int
    start: int
    end: int
    name: str
    bpf: bool
    gone: bool


ProcessEvent = Union[Fork, Exec, Name, Mapped, Code]


class _Wrong(Exception):
    """The reason why an event cannot be read."""


def parse_events(payload: bytes, offset: int) -> Iterator[ProcessEvent]:
    """Yields the events in a PROC chunk, whose payload is at ``offset`` in the file."""
    at = 0
    while at < len(payload):
        try:
            size = _size(payload, at)
            event = _event(payload[at : at + size])
        except (struct.error, _Wrong) as error:
            text = f"PROC: event at byte {at}: {error}"
            raise PfmParseError(text, offset + at) from None
        if event is not None:
            yield event
        at += size


def _size(payload: bytes, at: int) -> int:
    size: int = HEADER.unpack_from(payload, at)[0]
    if size < HEADER.size or size % 8 or size > len(payload) - at:
        raise _Wrong(f"wrong size {size}")
    return size


def _event(event: bytes) -> Optional[ProcessEvent]:
    _, kind, time, tgid, tid = HEADER.unpack_from(event)
    if kind == FORK:
        return Fork(time, tgid, tid, *FORK_PART.unpack_from(event, HEADER.size))
    if kind == EXEC:
        comm, cgroup = _texts(event, HEADER.size, 2)
        return Exec(time, tgid, tid, comm, cgroup or None)
    if kind == NAME:
        return Name(time, tgid, tid, *_texts(event, HEADER.size, 1))
    if kind == CODE:
        return _code(time, event)
    return Mapped(time, tgid, _mapping(event)) if kind == MAP else None


def _code(time: int, event: bytes) -> Code:
    start, end, kind, flags = CODE_PART.unpack_from(event, HEADER.size)
    if not KERNEL_START <= start < end:
        raise _Wrong("code must be in the kernel, and end after its start")
    (name,) = _texts(event, HEADER.size + CODE_PART.size, 1)
    if name.split() != [name] or len(name) > MAX_NAME:
        limit = f"at most {MAX_NAME} characters"
        raise _Wrong(f"the name of code must be a word of {limit}")
    return Code(time, start, end, name, kind == BPF, flags & GONE != 0)


def _texts(event: bytes, at: int, number: int) -> list[str]:
    """Returns the texts from byte ``at`` on; each of them ends with a zero byte."""
    texts = event[at:].split(b"\0", number)
    if len(texts) <= number:
        raise _Wrong("a string does not end with a zero byte")
    return [text.decode("utf-8", "surrogateescape") for text in texts[:number]]


def _mapping(event: bytes) -> Mapping:
    start, end, offset, prot, id_size, size, mtime = MAP_PART.unpack_from(
        event, HEADER.size
    )
    if end <= start:
        raise _Wrong("a mapping must end after its start")
    at = HEADER.size + MAP_PART.size
    if id_size > MAX_BUILD_ID or id_size > len(event) - at:
        raise _Wrong(f"wrong size {id_size} of a build ID")
    build_id = event[at : at + id_size] or None
    path, go_build_id = _texts(event, at + id_size, 2)
    state = None
    if build_id is None and size:
        state = FileState(size, mtime, go_build_id or None)
    # Equal strings are shared, because many processes map the same file.
    path, letters = sys.intern(path), sys.intern(_prot(prot))
    return Mapping(start, end, offset, path, build_id, letters, state)


def _prot(bits: int) -> str:
    letters = [
        letter if bits & bit else "-"
        for letter, bit in (("r", READ), ("w", WRITE), ("x", EXECUTE))
    ]
    return "".join([*letters, "s" if bits & SHARED else "p"])
