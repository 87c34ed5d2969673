# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to compressed profile.proto, for pprof and continuous profilers."""

from __future__ import annotations

import gzip
from io import BufferedWriter, RawIOBase
from typing import IO, cast

from ..analysis.inputs import Input
from ..analysis.profile import Profile, Profiler, Row, Thread
from ..analysis.weights import COUNT
from ..formats.roles import Role
from ..symbols.location import Detail
from .build_ids import build_ids_of
from .interface import Export, Job
from .protobuf import integer, integers, message
from .tables import (
    EVERYWHERE,
    MAX_VALUE,
    Place,
    Tables,
    checked,
    frames_in_file,
    span_of,
)
from .units import NUMBER, event_unit, weight_unit
from .unsupported import noted

PIECE = 1 << 16  # bytes that are compressed at once

# Fields of the message Profile.
SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE = range(1, 7)
TIME_NANOS, DURATION_NANOS, PERIOD_TYPE, PERIOD, COMMENT = range(9, 14)


def write(job: Job) -> None:
    """Writes the samples of all inputs."""
    profiler = Profiler(job.weight, frames_in_file)
    for source in job.inputs:
        profiler.add(source, noted(job, source, {Role.ADDRESS, Role.THREAD}))
    with open(job.path, "wb") as raw:
        # Leave name and time out of gzip's header, so that equal samples give equal
        # files.
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
            # Use a buffer, because most messages have only a few bytes.
            with BufferedWriter(cast(RawIOBase, packed), PIECE) as out:
                _Writer(job, profiler.profile).write(out)


class _Writer:
    """Writes one profile."""

    def __init__(self, job: Job, profile: Profile) -> None:
        self._job = job
        self._profile = profile
        self._tables = Tables(profile)
        self._string = self._tables.string
        self._labelled: dict[tuple[int, int], bytes] = {}  # by event and thread
        self._hosts = {thread.host for thread in profile.threads}
        self._events = profile.sampled_events()

    def write(self, out: IO[bytes]) -> None:
        """Writes the profile, each message after the messages that refer to it."""
        for event in self._events:
            name = self._profile.events[event]
            units = NUMBER, weight_unit(self._job, name)
            for kind in zip(self._kinds(name), units):
                out.write(message(SAMPLE_TYPE, self._value_type(*kind)))
        for row in self._profile.rows:
            out.write(message(SAMPLE, self._sample(row)))
        for place in self._tables.places():
            out.write(message(LOCATION, _location(place)))
        for (name, file), number in self._tables.functions.items():
            out.write(message(FUNCTION, self._function(name, file, number)))
        build_ids = build_ids_of(self._job.inputs)
        for name, number in self._tables.mappings.items():
            build_id = build_ids.get(name, b"").hex()
            out.write(message(MAPPING, self._mapping(name, build_id, number)))
        out.write(self._times())
        out.write(self._period())
        comments = [self._string(_comment(source)) for source in self._job.inputs]
        out.write(integers(COMMENT, comments))
        for text in self._tables.encoded():
            out.write(message(STRING_TABLE, text))

    def _kinds(self, event: str) -> list[str]:
        """Returns an event's value types: samples and, if different, their weight."""
        weight = self._job.weight
        return [event] if weight == COUNT else [event, f"{event} {weight}"]

    def _value_type(self, kind: str, unit: str) -> bytes:
        return integer(1, self._string(kind)) + integer(2, self._string(unit))

    def _sample(self, row: Row) -> bytes:
        ours = [row.samples, row.weight][: len(self._kinds(""))]
        checked(max(ours))
        values = [0] * (len(self._events) * len(ours))
        first = self._events.index(row.event) * len(ours)
        values[first : first + len(ours)] = ours
        event = self._profile.events[row.event]
        key = row.event, row.thread
        labels = self._labelled.get(key)
        if labels is None:
            labels = self._labels(event, self._profile.threads[row.thread])
            self._labelled[key] = labels
        return integers(1, self._tables.stack(row.node)) + integers(2, values) + labels

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

    def _function(self, name: str, file: str, number: int) -> bytes:
        text = self._string(name)
        body = integer(1, number) + integer(2, text) + integer(3, text)
        return body + integer(4, self._string(file))

    def _mapping(self, name: str, build_id: str, number: int) -> bytes:
        has_lines = name in self._tables.with_lines
        body = integer(1, number) + integer(3, EVERYWHERE)
        body += integer(5, self._string(name)) + integer(6, self._string(build_id))
        # The flags has_functions, has_filenames, has_line_numbers, has_inline_frames.
        return (
            body + integer(7, 1) + b"".join(integer(n, has_lines) for n in (8, 9, 10))
        )

    def _period(self) -> bytes:
        """Returns the sampling period of the first event of the first recording."""
        event = self._job.inputs[0].events.all[0]
        kind = self._value_type(event.name, event_unit(event.name))
        found = message(PERIOD_TYPE, kind)
        return (
            found + integer(PERIOD, event.period)
            if event.period <= MAX_VALUE
            else found
        )

    def _times(self) -> bytes:
        """Returns the start and the duration of the first recording."""
        start, duration = span_of(self._job.inputs[0].recording)
        return integer(TIME_NANOS, start) + integer(DURATION_NANOS, duration)


def _location(place: Place) -> bytes:
    """Returns a location: its function, after the functions that are inlined there."""
    lines = (integer(1, function) + integer(2, line) for function, line in place.lines)
    head = integer(1, place.number) + integer(2, place.mapping)
    head += integer(3, place.address)
    return head + b"".join(message(4, line) for line in lines)


def _comment(source: Input) -> str:
    """Returns a description of the recording: host, command and tool."""
    session = source.recording.session
    command = " ".join(session.command or ("(no command)",))
    return f"{source.host}: {command}, by {session.tool}"


EXPORT = Export("pprof", "pprof's profile.proto, compressed", write, Detail.INLINES)
