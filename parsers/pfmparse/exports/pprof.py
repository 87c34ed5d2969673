# SPDX-License-Identifier: MIT OR GPL-2.0
"""Exports to compressed profile.proto, for pprof and continuous profilers."""

from __future__ import annotations

import gzip
from io import BufferedWriter, RawIOBase
from typing import IO, Sequence, cast

from ..analysis.inputs import Input
from ..analysis.labels import label
from ..analysis.profile import Frame, Profile, Profiler, Row, Thread, by_place
from ..analysis.stacks import ROOT
from ..analysis.weights import COUNT
from ..formats.roles import Role
from ..symbols.location import Detail, Location
from .build_ids import build_ids_of
from .interface import Export, ExportError, Job
from .protobuf import integer, integers, message
from .units import NUMBER, event_unit, weight_unit
from .unsupported import noted

PIECE = 1 << 16  # bytes that are compressed at once
EVERYWHERE = (1 << 64) - 1  # end of a mapping whose addresses are those in the file

# Fields of the message Profile.
SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE = range(1, 7)
TIME_NANOS, DURATION_NANOS, PERIOD_TYPE, PERIOD, COMMENT = range(9, 14)
MAX_VALUE = (1 << 63) - 1


def write(job: Job) -> None:
    """Writes the samples of all inputs."""
    profiler = Profiler(job.weight, _frames)
    for source in job.inputs:
        profiler.add(source, noted(job, source, {Role.ADDRESS, Role.THREAD}))
    with open(job.path, "wb") as raw:
        # Without name and time, equal samples give identical files.
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
            # Megabytes of messages of a few bytes each need a buffer.
            with BufferedWriter(cast(RawIOBase, packed), PIECE) as out:
                _Writer(job, profiler.profile).write(out)


def _frames(location: Location, address: int) -> Sequence[Frame]:
    """The functions of a place, outermost first, at its address in the file."""
    at = address if location.offset is None else location.offset
    return by_place(location, at)


class _Strings:
    """The table of strings; the first one is empty."""

    def __init__(self) -> None:
        self.all: dict[str, int] = {"": 0}

    def __call__(self, text: str) -> int:
        return self.all.setdefault(text, len(self.all))


class _Writer:
    """Writes one profile."""

    def __init__(self, job: Job, profile: Profile) -> None:
        self._job = job
        self._profile = profile
        self._string = _Strings()
        # IDs of the objects that samples and locations refer to; the first ID is 1.
        self._locations: dict[tuple[int, ...], int] = {}
        self._functions: dict[tuple[str, str], int] = {}
        self._mappings: dict[str, int] = {}
        self._labelled: dict[tuple[int, int], bytes] = {}  # by event and thread
        self._with_lines = {f.object for f in profile.frames if f.line is not None}
        self._hosts = {thread.host for thread in profile.threads}
        self._events = profile.sampled_events()

    def write(self, out: IO[bytes]) -> None:
        """Writes the profile: messages come after the messages that refer to them."""
        for event in self._events:
            name = self._profile.events[event]
            units = NUMBER, weight_unit(self._job, name)
            for kind in zip(self._kinds(name), units):
                out.write(message(SAMPLE_TYPE, self._value_type(*kind)))
        for row in self._profile.rows:
            out.write(message(SAMPLE, self._sample(row)))
        for frames, number in self._locations.items():
            out.write(message(LOCATION, self._location(frames, number)))
        for (name, file), number in self._functions.items():
            out.write(message(FUNCTION, self._function(name, file, number)))
        build_ids = build_ids_of(self._job.inputs)
        for name, number in self._mappings.items():
            build_id = build_ids.get(name, b"").hex()
            out.write(message(MAPPING, self._mapping(name, build_id, number)))
        out.write(self._times())
        out.write(self._period())
        comments = [self._string(_comment(source)) for source in self._job.inputs]
        out.write(integers(COMMENT, comments))
        for text in self._string.all:
            out.write(message(STRING_TABLE, text.encode(errors="replace")))

    def _kinds(self, event: str) -> list[str]:
        """The value types of an event: its samples and, if different, their weight."""
        weight = self._job.weight
        return [event] if weight == COUNT else [event, f"{event} {weight}"]

    def _value_type(self, kind: str, unit: str) -> bytes:
        return integer(1, self._string(kind)) + integer(2, self._string(unit))

    def _sample(self, row: Row) -> bytes:
        ours = [row.samples, row.weight][: len(self._kinds(""))]
        if max(ours) > MAX_VALUE:
            raise ExportError(f"a sum of {max(ours)} does not fit into 63 bits")
        values = [0] * (len(self._events) * len(ours))
        first = self._events.index(row.event) * len(ours)
        values[first : first + len(ours)] = ours
        event = self._profile.events[row.event]
        key = row.event, row.thread
        labels = self._labelled.get(key)
        if labels is None:
            labels = self._labels(event, self._profile.threads[row.thread])
            self._labelled[key] = labels
        return integers(1, self._stack(row.node)) + integers(2, values) + labels

    def _labels(self, event: str, thread: Thread) -> bytes:
        texts = {"event": event, "thread": thread.name}
        if len(self._hosts) > 1:
            texts["host"] = thread.host
        numbers = {"process": thread.process, "tid": thread.thread}
        labels = [
            integer(1, self._string(key)) + integer(2, self._string(text))
            for key, text in texts.items()
        ]
        labels += [
            integer(1, self._string(key)) + integer(3, number)
            for key, number in numbers.items()
            if number is not None
        ]
        return b"".join(message(3, label) for label in labels)

    def _stack(self, node: int) -> list[int]:
        """The IDs of a stack's locations, innermost first."""
        profile = self._profile
        found: list[int] = []
        frames: list[int] = []
        while node != ROOT:
            frames.append(profile.frame_of[node])
            if not profile.frames[frames[-1]].inlined:
                number = len(self._locations) + 1
                found.append(self._locations.setdefault(tuple(frames), number))
                frames = []
            node = profile.parents[node]
        return found

    def _location(self, frames: tuple[int, ...], number: int) -> bytes:
        """A location: a function, preceded by the functions inlined there."""
        ours = [self._profile.frames[at] for at in frames]
        mapping = self._mappings.setdefault(ours[-1].object, len(self._mappings) + 1)
        head = integer(1, number) + integer(2, mapping)
        head += integer(3, ours[-1].address or 0)
        return head + b"".join(message(4, self._line(frame)) for frame in ours)

    def _line(self, frame: Frame) -> bytes:
        key = label(frame), frame.file or ""
        number = self._functions.setdefault(key, len(self._functions) + 1)
        return integer(1, number) + integer(2, frame.line or 0)

    def _function(self, name: str, file: str, number: int) -> bytes:
        text = self._string(name)
        body = integer(1, number) + integer(2, text) + integer(3, text)
        return body + integer(4, self._string(file))

    def _mapping(self, name: str, build_id: str, number: int) -> bytes:
        has_lines = name in self._with_lines
        body = integer(1, number) + integer(3, EVERYWHERE)
        body += integer(5, self._string(name)) + integer(6, self._string(build_id))
        # The flags has_functions, has_filenames, has_line_numbers, has_inline_frames.
        return (
            body + integer(7, 1) + b"".join(integer(n, has_lines) for n in (8, 9, 10))
        )

    def _period(self) -> bytes:
        """The sampling period of the first event of the first recording."""
        event = self._job.inputs[0].events.all[0]
        kind = self._value_type(event.name, event_unit(event.name))
        found = message(PERIOD_TYPE, kind)
        return (
            found + integer(PERIOD, event.period)
            if event.period <= MAX_VALUE
            else found
        )

    def _times(self) -> bytes:
        """The start and the duration of the first recording."""
        recording = self._job.inputs[0].recording
        start, totals = recording.session.start_ns, recording.source.totals
        duration = max(0, totals.end_ns - start) if totals else 0
        if max(start, duration) > MAX_VALUE:
            return b""
        return integer(TIME_NANOS, start) + integer(DURATION_NANOS, duration)


def _comment(source: Input) -> str:
    """A description of the recording: host, command and tool."""
    session = source.recording.session
    command = " ".join(session.command or ("(no command)",))
    return f"{source.host}: {command}, by {session.tool}"


EXPORT = Export("pprof", "pprof's profile.proto, compressed", write, Detail.INLINES)
