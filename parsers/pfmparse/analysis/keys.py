# SPDX-License-Identifier: MIT OR GPL-2.0
"""The keys by which samples can be grouped."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Callable, Mapping, Optional, Protocol, Sequence, Union

import numpy as np

from ..errors import PfmParseError, RequestError
from ..formats.roles import AGGREGATES, Role
from ..formats.samples import Column, Samples
from ..recording import Batch
from ..symbols.location import UNKNOWN, Detail, Location
from . import columns
from .events import Event
from .inputs import Input
from .interner import Ids, Interner, U64s


# Values must not change, but frozen=True would slow down reports by address.
@dataclass
class Value:
    """A value of a key; ``extra`` has further members of the row's JSON object."""

    key: Union[str, int]
    label: str
    extra: Mapping[str, object] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.key, self.label))


class Key(Protocol):
    """A key by which the samples of one input are grouped."""

    title: str

    def ids(self, batch: Batch) -> Ids:
        """Returns a dense ID for each sample's value.

        Raises PfmParseError if the samples lack the column.
        """

    def values(self) -> Sequence[Value]:
        """Returns the value of each ID; several IDs may have equal values."""


class Numbers:
    """A key whose values are the numbers in a column."""

    def __init__(self, title: str, select: Callable[[Samples], Column]) -> None:
        self.title = title
        self._select = select
        self._numbers = Interner()
        self._signed = False

    def ids(self, batch: Batch) -> Ids:
        """Returns the ID of each sample's value."""
        column = self._select(batch.samples)
        self._signed |= column.dtype.kind == "i"
        wide = column.astype(np.uint64, copy=False)
        return self._numbers.ids(np.zeros(1, np.uint64), wide)

    def values(self) -> Sequence[Value]:
        """Returns the numbers, indexed by ID."""
        numbers = self._numbers.pairs()[1]
        as_they_are = numbers.view(np.int64 if self._signed else np.uint64)
        return [self._value(number) for number in as_they_are.tolist()]

    def _value(self, number: int) -> Value:
        return Value(number, str(number))


class Named(Numbers):
    """A key whose values are the names of the numbers in a column."""

    def __init__(
        self,
        title: str,
        select: Callable[[Samples], Column],
        name: Callable[[int], str],
    ) -> None:
        super().__init__(title, select)
        self._name = name

    def _value(self, number: int) -> Value:
        name = self._name(number)
        return Value(name, name)


class Eventids(Numbers):
    """A key: the event ID that the session assigned to the sample's event."""

    def __init__(self, source: Input) -> None:
        super().__init__("event", _eventids)
        self._names: dict[int, list[str]] = {}
        for event in source.events.all[:-1]:
            assert event.eventid is not None
            self._names.setdefault(event.eventid, []).append(event.name)

    def _value(self, number: int) -> Value:
        name = " or ".join(dict.fromkeys(self._names.get(number, []))) or None
        return Value(number, f"{number} {name or UNKNOWN}", {"event": name})


class Pmds:
    """A key: the PMD whose overflow recorded the sample."""

    title = "pmd"

    def __init__(self, source: Input) -> None:
        self._events = source.events

    def ids(self, batch: Batch) -> Ids:
        """Returns the ID of the event that each sample's PMD counts."""
        if batch.samples.name_of(Role.PMD) is None:
            raise batch.samples.lacks("pmd")
        return self._events.ids(batch.samples)

    def values(self) -> Sequence[Value]:
        """Returns the PMDs; PMDs that do not sample in the session share one value."""
        return [self._value(event) for event in self._events.all]

    def _value(self, event: Event) -> Value:
        if event.pmd is None:
            return Value(UNKNOWN, UNKNOWN, {"set": None, "event": None})
        label = f"{event.pmd} {event.name} (set {event.set})"
        return Value(event.pmd, label, {"set": event.set, "event": event.name})


class Comms:
    """A key: the name of the thread or, if that is unknown, of its process."""

    title = "comm"

    def __init__(self, source: Input) -> None:
        from .names import Names  # few reports are by name

        self._names = Names(source.recording)

    def ids(self, batch: Batch) -> Ids:
        """Returns the ID of each sample's name."""
        return self._names.ids(batch.samples)

    def values(self) -> Sequence[Value]:
        """Returns the names, indexed by ID."""
        return [Value(name, name) for name in self._names.all()]


class Same:
    """A key that has the same value for all samples of an input."""

    def __init__(self, title: str, name: str) -> None:
        self.title = title
        self._name = name

    def ids(self, batch: Batch) -> Ids:
        """Returns 0 for each sample."""
        return np.zeros(batch.samples.count, np.intp)

    def values(self) -> Sequence[Value]:
        """Returns the only value."""
        return [Value(self._name, self._name)]


class Located:
    """A key: the location of a code address, a caller, or a data address."""

    def __init__(
        self,
        title: str,
        source: Input,
        ids: Callable[[Batch], Ids],
        value: Callable[[Location, int], Value],
    ) -> None:
        self.title = title
        self._places = source.places
        self._ids = ids
        self._to_value = value

    def ids(self, batch: Batch) -> Ids:
        """Returns the ID of the location of each sample."""
        return self._ids(batch)

    def values(self) -> Sequence[Value]:
        """Returns the locations, indexed by ID."""
        addresses = self._places.addresses().tolist()
        found = zip(self._places.locations(), addresses)
        return [self._to_value(location, address) for location, address in found]

    def addresses(self) -> U64s:
        """Returns the addresses, indexed by ID."""
        return self._places.addresses()

    def some(self, ids: Ids) -> Sequence[Value]:
        """Returns the locations of some IDs; does not look up others."""
        found = zip(self._places.some(ids), self._places.addresses()[ids].tolist())
        return [self._to_value(location, address) for location, address in found]


def _eventids(samples: Samples) -> Column:
    """Returns the event IDs; raises PfmParseError if the samples have none."""
    has = samples.name_of
    if has(Role.EVENT) is None and has(Role.PMD) is not None:
        raise RequestError(f"{samples.lacks('event')}. Use 'pmd' instead of 'event'")
    return samples.role(Role.EVENT)


def _function(location: Location, _: int) -> Value:
    return _named(location.symbol, location.object)


@lru_cache(1 << 16)  # there are many more addresses than functions
def _named(symbol: Optional[str], where: str) -> Value:
    extra = {"symbol": symbol, "object": where}
    return Value(symbol or where, f"{symbol or UNKNOWN} ({where})", extra)


def _line(location: Location, address: int) -> Value:
    plain = _function(location, address)
    if location.line is None:
        return plain
    return Value(location.line, f"{location.line} {plain.label}", plain.extra)


def _address(location: Location, address: int) -> Value:
    plain, name = _function(location, address), f"{address:#x}"
    extra: dict[str, object] = {**plain.extra, "address": address}
    return Value(name, f"{name} {plain.label}", extra)


def _image(location: Location, _: int) -> Value:
    return Value(location.object, location.object)


def _data_source(value: int) -> str:
    from ..formats.data_source import name_of  # many samples have no data source

    return name_of(value)


def _branch_flags(value: int) -> str:
    from ..formats.branches import name_of  # many samples have no branches

    return name_of(value)


def _state(value: int) -> str:
    from ..formats.thread_state import name_of  # many samples have no state

    return name_of(value)


def _level(kernel: int) -> str:
    return "kernel" if kernel else "user"


class Callers(Located):
    """A key: the innermost caller; unknown for samples without a call chain."""

    def __init__(self, source: Input) -> None:
        super().__init__("caller (object)", source, self._callers, _function)
        self._lacking: Optional[PfmParseError] = None
        self._found = False

    def values(self) -> Sequence[Value]:
        """Returns the functions.

        Raises PfmParseError if no sample can have a call chain.
        """
        if self._lacking is not None and not self._found:
            raise self._lacking
        return super().values()

    def _callers(self, batch: Batch) -> Ids:
        samples = batch.samples
        which, chains = np.arange(samples.count), samples.chains
        if chains is None:
            # If call chains are optional, a whole batch may lack them, so this is an
            # error only if all other batches lack them, too.
            self._lacking = self._lacking or samples.lacks("call chains")
            return self._places.calls(batch, which, np.zeros(which.size, np.uint64))
        self._found = True
        files = chains.files_of_callers()
        return self._places.calls(batch, which, chains.callers(), files)


def _located(
    title: str, value: Callable[[Location, int], Value]
) -> Callable[[Input], Key]:
    return lambda source: Located(title, source, source.places.own, value)


def _branch(title: str, role: Role) -> Callable[[Input], Key]:
    return lambda source: Located(
        f"{title} function (object)",
        source,
        partial(source.places.branches, role=role),
        _address,
    )


KEYS: dict[str, Callable[[Input], Key]] = {
    "function": _located("function (object)", _function),
    "ip": _located("ip function (object)", _address),
    "line": _located("line function (object)", _line),
    "image": _located("image", _image),
    "data-address": lambda source: Located(
        "data address symbol (object)", source, source.places.data, _address
    ),
    "data-symbol": lambda source: Located(
        "data symbol (object)", source, source.places.data, _function
    ),
    "branch-from": _branch("branch", Role.BRANCH_FROM),
    "branch-to": _branch("branch target", Role.BRANCH_TO),
    "branch-flags": lambda source: Named(
        "branch", lambda samples: samples.role(Role.BRANCH_FLAGS), _branch_flags
    ),
    "caller": Callers,
    "tid": lambda source: Numbers(
        "tid", lambda samples: columns.threads(samples, source.recording)
    ),
    "process": lambda source: Numbers(
        "process", lambda samples: columns.processes(samples, source.recording)
    ),
    "comm": Comms,
    "cgroup": lambda source: Named(
        "cgroup",
        lambda samples: columns.processes(samples, source.recording),
        lambda tgid: source.recording.source.threads.cgroup(tgid) or UNKNOWN,
    ),
    "pmd": Pmds,
    "event": Eventids,
    "kernel": lambda source: Named(
        "kernel or user", lambda s: columns.in_kernel(s).view(np.uint8), _level
    ),
    "latency": lambda source: Numbers(
        "latency in cycles", lambda samples: samples.role(Role.LATENCY)
    ),
    "data-source": lambda source: Named(
        "data source", lambda samples: samples.role(Role.DATA_SOURCE), _data_source
    ),
    "state": lambda source: Named(
        "state", lambda samples: samples.role(Role.STATE), _state
    ),
    "file": lambda source: Same("file", source.file),
    "host": lambda source: Same("host", source.host),
}
SAME = {"address": "ip"}  # a role, and the key that means the same

# The detail that must be looked up for a key; keys not listed need Detail.OBJECT.
DETAILS = {"line": Detail.LINE, "image": Detail.OBJECT}
DETAILS |= dict.fromkeys(("function", "ip", "caller"), Detail.FUNCTION)
DETAILS |= dict.fromkeys(("branch-from", "branch-to"), Detail.FUNCTION)
DETAILS |= dict.fromkeys(("data-address", "data-symbol"), Detail.SYMBOL)
ORDER = tuple(Detail)  # from the least to the most detail


def detail_of(names: Sequence[str]) -> Detail:
    """Returns the detail that must be looked up for these keys."""
    details = [DETAILS.get(SAME.get(name, name), Detail.OBJECT) for name in names]
    return max(details, key=ORDER.index, default=Detail.OBJECT)


def key(name: str, source: Input) -> Key:
    """Returns the key with this name: one of KEYS, or a role or column."""
    name = SAME.get(name, name)
    if name in KEYS:
        return KEYS[name](source)
    columns.check_name(name, source.recording)
    return Numbers(name, lambda samples: _numbers(samples, name))


def _numbers(samples: Samples, name: str) -> Column:
    """Returns the column with a key's numbers.

    Raises PfmParseError if each number of the column summarises several samples.
    """
    for role in AGGREGATES:
        if name in samples.summaries(role):
            raise RequestError(
                f"samples cannot be grouped by column '{name}', because each of its "
                f"numbers (role {role.name}) summarises several samples: "
                "use --weight or --of"
            )
    return columns.named(samples, name)
