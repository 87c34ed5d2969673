# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to OTLP profiles: profiles.proto of opentelemetry-proto 1.10.

A profile has the samples or the weights of one event on one host. In the docstrings,
numbers in parentheses are field numbers of the message.
"""

from __future__ import annotations

from typing import Iterator, Optional, Union

from .. import __version__
from ..analysis.profile import Profile, Profiler, Row, Thread
from ..analysis.weights import COUNT
from ..formats.roles import Role
from ..layout import KERNEL_START
from ..symbols.location import Detail
from ..text import ESCAPED
from .build_ids import build_ids_of
from .interface import Export, Job
from .protobuf import VARINT, fixed64, integer, integers, message, varint
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

# Fields of ProfilesData.
RESOURCE_PROFILES, DICTIONARY = 1, 2
# Fields of ProfilesDictionary. Element 0 of each table means "none".
MAPPINGS, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS = range(1, 8)

Rows = dict[int, list[Row]]  # by event


def write(job: Job) -> None:
    """Writes the samples of all inputs."""
    profiler = Profiler(job.weight, frames_in_file)
    for source in job.inputs:
        profiler.add(source, noted(job, source, {Role.ADDRESS, Role.THREAD}))
    with job.path.open("wb") as out:
        out.writelines(_Writer(job, profiler.profile).parts())


class _Writer:
    """Writes the profiles, and the tables that all profiles use."""

    def __init__(self, job: Job, profile: Profile) -> None:
        self._job = job
        self._profile = profile
        self._tables = Tables(profile)
        self._stacks: dict[int, int] = {}  # indices of stacks, by node
        self._attributes: dict[bytes, int] = {}
        self._of_threads: dict[int, list[int]] = {}  # indices of attributes, by thread

    def parts(self) -> Iterator[bytes]:
        """Yields the parts of the file."""
        hosts: dict[str, Rows] = {}
        for row in self._profile.rows:
            host = self._profile.threads[row.thread].host
            hosts.setdefault(host, {}).setdefault(row.event, []).append(row)
        for host, rows in hosts.items():
            yield message(RESOURCE_PROFILES, self._resource(host, rows))
        yield message(DICTIONARY, self._dictionary())

    def _resource(self, host: str, events: Rows) -> bytes:
        """Returns all profiles of a host: resource (1), and scope with profiles (2)."""
        name = message(1, b"host.name") + message(2, _value(host))
        scope = message(1, b"pfmparse") + message(2, __version__.encode())
        profiles = (
            message(2, profile)
            for event, rows in sorted(events.items())
            for profile in self._profiles(host, event, rows)
        )
        scoped = message(1, scope) + b"".join(profiles)
        return message(1, message(1, name)) + message(2, scoped)

    def _profiles(self, host: str, event: int, rows: list[Row]) -> Iterator[bytes]:
        """Yields a profile of an event's samples, then one of their weights if chosen.

        Fields: type (1), samples (2), start (3), duration (4), type of the period (5),
        and length of the period (6).
        """
        name, weight = self._profile.events[event], self._job.weight
        tail = self._times(host) + self._period(name)
        counts = b"".join(message(2, self._sample(row, row.samples)) for row in rows)
        yield message(1, self._type(name, NUMBER)) + counts + tail
        if weight != COUNT:
            kind = self._type(f"{name} {weight}", weight_unit(self._job, name))
            sums = (message(2, self._sample(row, row.weight)) for row in rows)
            yield message(1, kind) + b"".join(sums) + tail

    def _type(self, name: str, unit: str) -> bytes:
        string = self._tables.string
        return integer(1, string(name)) + integer(2, string(unit))

    def _times(self, host: str) -> bytes:
        """Returns the start and the duration of the host's first recording."""
        source = next(one for one in self._job.inputs if one.host == host)
        start, duration = span_of(source.recording)
        return fixed64(3, start) + integer(4, duration)

    def _period(self, event: str) -> bytes:
        all_of_them = (e for source in self._job.inputs for e in source.events.all)
        period = next((e.period for e in all_of_them if e.name == event), 0)
        kind = self._type(event, event_unit(event))
        return message(5, kind) + integer(6, period if period <= MAX_VALUE else 0)

    def _sample(self, row: Row, value: int) -> bytes:
        """Returns a sample: stack (1), attributes (2) and value (4)."""
        stack = self._stacks.setdefault(row.node, len(self._stacks) + 1)
        found = self._of_threads.get(row.thread)
        if found is None:
            found = self._describe(self._profile.threads[row.thread])
            self._of_threads[row.thread] = found
        return integer(1, stack) + integers(2, found) + integers(4, [checked(value)])

    def _describe(self, thread: Thread) -> list[int]:
        """Returns the attributes of a thread."""
        known: dict[str, Optional[Union[int, str]]] = {
            "process.pid": thread.process,
            "thread.id": thread.thread,
            "thread.name": thread.name,
        }
        pairs = known.items()
        return [self._attribute(key, of) for key, of in pairs if of is not None]

    def _attribute(self, key: str, value: Union[int, str]) -> int:
        """Returns the index of an attribute: key (1) and value (2)."""
        body = integer(1, self._tables.string(key)) + message(2, _value(value))
        return self._attributes.setdefault(body, len(self._attributes) + 1)

    def _dictionary(self) -> bytes:
        """Returns the tables, each after the tables that refer to its elements."""
        tables = self._tables
        stacks = [integers(1, tables.stack(node)) for node in self._stacks]
        locations = [self._location(place) for place in tables.places()]
        functions = [self._function(*key) for key in tables.functions]
        build_ids = build_ids_of(self._job.inputs)
        mappings = [self._mapping(n, build_ids.get(n)) for n in tables.mappings]
        found = [_table(STACKS, stacks), _table(LOCATIONS, locations)]
        found += [_table(FUNCTIONS, functions), _table(MAPPINGS, mappings)]
        found += [_table(LINKS, []), _table(ATTRIBUTES, list(self._attributes))]
        found += [message(STRINGS, text) for text in tables.encoded()]
        return b"".join(found)

    def _location(self, place: Place) -> bytes:
        """Returns a location: mapping (1), address (2), lines (3), attributes (4)."""
        kind = "kernel" if place.address >= KERNEL_START else "native"
        head = integer(1, place.mapping) + integer(2, place.address)
        lines = (
            integer(1, function) + integer(2, line) for function, line in place.lines
        )
        body = head + b"".join(message(3, line) for line in lines)
        return body + integers(4, [self._attribute("profile.frame.type", kind)])

    def _function(self, name: str, file: str) -> bytes:
        """Returns a function: name (1), name in the file (2) and source file (3)."""
        text = self._tables.string(name)
        body = integer(1, text) + integer(2, text)
        return body + integer(3, self._tables.string(file))

    def _mapping(self, name: str, build_id: Optional[bytes]) -> bytes:
        """Returns a file: end of its addresses (2), name (4) and attributes (5)."""
        body = integer(2, EVERYWHERE) + integer(4, self._tables.string(name))
        if not build_id:
            return body
        key = "process.executable.build_id.gnu"
        return body + integers(5, [self._attribute(key, build_id.hex())])


def _table(field: int, elements: list[bytes]) -> bytes:
    """Returns a table, with an empty first element."""
    return b"".join(message(field, element) for element in (b"", *elements))


def _value(value: Union[int, str]) -> bytes:
    """Returns an AnyValue: a string (1) or an integer (3), which may be 0."""
    if isinstance(value, str):
        return message(1, value.encode(errors=ESCAPED))
    return varint(3 << 3 | VARINT) + varint(value)


EXPORT = Export("otlp", "OpenTelemetry's profiles", write, Detail.INLINES)
