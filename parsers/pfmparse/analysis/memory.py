# SPDX-License-Identifier: MIT OR GPL-2.0
"""Grouping and summing of memory samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Optional, Sequence

import numpy as np

from ..errors import RequestError
from ..formats import data_source
from ..formats.roles import Role
from ..formats.samples import CODE, Samples
from ..layout import NDArray
from ..recording import Batch
from ..symbols.location import UNKNOWN, Detail, Location
from .columns import optional
from .first_rows import Wanted, Words, first
from .inputs import Input
from .interner import Ids, U64s
from .keys import Key, Located, Named, Value, key
from .levels import Classes
from .places import Places
from .requests import CACHELINE, FUNCTION, INST, LATENCY, LEVEL, LINE, PAGE, SYMBOL, TLB
from .sums import Sums
from .weights import COUNT, Weight, aggregates, product, unsigned

CACHE_LINE = 64  # bytes; used if the session does not record the size


@dataclass
class Row:
    """A value of a key, and sums over its samples.

    ``samples`` is their number, ``latency`` the sum of their latencies, and ``classes``
    their number in each class. Each sample counts as many times as its weight.
    """

    value: Value
    samples: int = 0
    latency: int = 0
    classes: list[int] = field(default_factory=list)

    def add(self, other: Row) -> None:
        """Adds the samples of a row with an equal value; keeps the lower address."""
        self.samples += other.samples
        self.latency += other.latency
        if not self.classes:
            self.classes = [0] * len(other.classes)
        self.classes = [one + two for one, two in zip(self.classes, other.classes)]
        if (self.address or 0) > (other.address or 0):
            self.value = other.value

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for rows with the same value, even if their addresses differ."""
        return self.value.key, self.value.label, self.value.extra.get("object")

    @property
    def address(self) -> Optional[int]:
        """The start address of the row's value, or None if the value has no address."""
        address = self.value.extra.get("address")
        return address if isinstance(address, int) else None


Rows = dict[tuple[object, ...], Row]


def add_row(rows: Rows, row: Row) -> None:
    """Adds a row; if a row has the same value, adds the samples to that row instead."""
    rows.setdefault(row.identity, Row(row.value)).add(row)


class Addresses(Located):
    """A key whose values are addresses."""


class Collapsed(Located):
    """A key whose values are symbols or lines, each with many addresses."""

    def together(self, ids: Ids) -> tuple[Ids, list[Value]]:
        """Returns, for each ID, an index into the distinct values, and these values."""
        locations, addresses = self._places.locations(), self._places.addresses()[ids]
        known: dict[object, int] = {}
        values: list[Value] = []
        numbers = []
        # Take addresses in ascending order, because a value whose start is unknown
        # begins at its lowest address.
        order = np.argsort(addresses, kind="stable")
        for at, address in zip(ids[order].tolist(), addresses[order].tolist()):
            place = locations[at]
            begin = None
            if place.start is not None and place.offset is not None:
                begin = address - place.offset
            key = place.symbol, place.object, place.line, begin
            number = known.get(key)
            if number is None:
                number = known[key] = len(values)
                values.append(self._to_value(place, address))
            numbers.append(number)
        found = np.empty(ids.size, np.intp)
        found[order] = numbers
        return found, values


class Tally:
    """Sums the samples of an input by key."""

    def __init__(
        self, by: Key, classes: Classes, weight: Optional[Weight] = None
    ) -> None:
        """Without a ``weight``, counts the samples.

        After add(), ``with_latencies`` is False if latencies cannot be summed. This is
        so if the format records only sums of latencies, unless the weight is "count"
        and the format also records how many samples each sum covers.
        """
        self.with_latencies = True
        self._by = by
        self._weight = weight
        self.classes = classes
        self._samples, self._latencies, self._classes_of = Sums(), Sums(), Sums()
        self._count = 0  # values so far
        self._width = len(classes.names)

    def add(self, batch: Batch) -> None:
        """Adds samples. Raises PfmParseError if they lack a column."""
        samples = batch.samples
        if not samples.count:
            return
        ids, weights = self._by.ids(batch), samples.weights()
        if self._weight is not None:
            weights = self._weight.of(samples)
        self._count = max(self._count, int(ids.max()) + 1)
        self._samples.add(ids, weights)
        of_each = ids * self._width + self.classes.ids(samples)
        self._classes_of.add(of_each, weights)
        latencies = self._latencies_of(samples, weights)
        if latencies is not None:
            self._latencies.add(ids, latencies)

    def _latencies_of(
        self, samples: Samples, weights: Optional[NDArray[np.integer[Any]]]
    ) -> Optional[U64s]:
        """Returns the weighted latency of each sample, or None if it is unknown."""
        name = Role.LATENCY.value
        total = aggregates(samples, name).get(Role.SUM)
        if total is not None:
            counted = self._weight is None or self._weight.name == COUNT
            self.with_latencies = counted and samples.weights() is not None
            return unsigned(samples, total) if self.with_latencies else None
        latencies = optional(samples, Role.LATENCY)
        if latencies is None:
            return None
        cycles = latencies.astype(np.uint64, copy=False)
        return cycles if weights is None else product(cycles, weights, name)

    def rows(self, wanted: Wanted = Wanted()) -> Rows:
        """Returns a row for each value of the key.

        If the values are addresses, may omit rows that are certainly not ``wanted``.
        """
        by, samples = self._by, self._samples.words(self._count)
        ids = np.flatnonzero(samples[0] | samples[1])
        if isinstance(by, Collapsed):
            return self._rows(ids, *by.together(ids))
        if isinstance(by, Addresses) and not wanted.all:
            ids = ids[self._first(ids, by.addresses(), wanted)]
            values = by.some(ids)
        else:
            every = by.values()
            values = [every[at] for at in ids.tolist()]
        return self._rows(ids, np.arange(ids.size), values)

    def _first(self, ids: Ids, addresses: U64s, wanted: Wanted) -> Ids:
        """Returns the indices of the IDs whose rows may be wanted."""
        samples = self._samples.words(self._count)
        high, low = self._classes_of.words(self._width * self._count)
        classes = high.reshape(-1, self._width), low.reshape(-1, self._width)
        return first(addresses[ids], _some(samples, ids), _some(classes, ids), wanted)

    def of_each_class(self) -> list[int]:
        """Returns the number of samples in each class."""
        return self._classes_of.totals(self._width * self._count, self._width)

    def _rows(self, ids: Ids, numbers: Ids, values: Sequence[Value]) -> Rows:
        """Returns the rows of ``values``; ``numbers`` is each ID's index in values."""
        rows: Rows = {}
        width, count = self._width, len(values)
        samples = self._samples.moved(ids, numbers).result(count)
        latencies = self._latencies.moved(ids, numbers).result(count)
        classes = self._classes_of.moved(*(_times(n, width) for n in (ids, numbers)))
        of_each = classes.result(width * count)
        for at, value in enumerate(values):
            row = Row(value, samples[at], latencies[at])
            row.classes = of_each[at * width : (at + 1) * width]
            add_row(rows, row)
        return rows


def by(view: str, per: str, source: Input) -> Key:
    """Returns the key that groups a view's samples.

    Raises PfmParseError if the key is not available.
    """
    if per == LATENCY:
        return key("latency", source)
    if per == LEVEL:
        name = data_source.tlb_name if view == TLB else data_source.level_name
        return Named(per, lambda samples: samples.role(Role.DATA_SOURCE), name)
    unit = _unit(per, source)
    ids = partial(_places, source.places, is_of_data(view, per))
    values = {FUNCTION: _symbol, SYMBOL: _symbol, LINE: _line}
    if per in values:
        return Collapsed(per, source, ids, values[per])
    return Addresses(per, source, lambda batch: ids(batch, unit), _address)


def _places(places: Places, of_data: bool, batch: Batch, unit: int = 1) -> Ids:
    """Returns the place IDs of data or of code, see Places.data() and Places.own()."""
    if of_data:
        return places.data(batch, unit)
    has = batch.samples.name_of
    if has(Role.ADDRESS) is None and has(Role.DATA_ADDRESS) is not None:
        raise RequestError(f"{batch.samples.lacks(CODE)}; use --view data")
    return places.own(batch, unit)


def is_of_data(view: str, per: str) -> bool:
    """Returns whether rows stand for data, not for the code that accessed it."""
    return view != INST and per not in (FUNCTION, LINE, LEVEL, LATENCY)


def detail_of(per: str) -> Detail:
    """Returns the detail that must be looked up for these rows."""
    return Detail.LINE if per == LINE else Detail.SYMBOL


def _some(words: Words, ids: Ids) -> Words:
    return words[0][ids], words[1][ids]


def _times(ids: Ids, width: int) -> Ids:
    """Returns the indices of ``width`` sums for each ID, one sum per class."""
    numbers: Ids = (ids[:, np.newaxis] * width + np.arange(width)).reshape(-1)
    return numbers


def _unit(per: str, source: Input) -> int:
    """Returns the size in bytes of the address blocks that become one row each."""
    machine = source.recording.session.machine
    if per == CACHELINE:
        return machine.cache_line or CACHE_LINE
    if per == PAGE and not machine.page_size:
        raise RequestError("the session does not record the page size")
    return machine.page_size if per == PAGE else 1


def _address(location: Location, address: int) -> Value:
    return Value(f"{address:#x}", _name(location), _extra(location, address))


def _symbol(location: Location, address: int) -> Value:
    name = location.symbol or location.object
    return Value(name, name, _extra(location, address - (_offset(location) or 0)))


def _line(location: Location, address: int) -> Value:
    if location.line is None:
        return _symbol(location, address)
    label = f"{location.line} {location.symbol or location.object}"
    extra = {"symbol": location.symbol, "object": location.object}
    return Value(location.line, label, extra)


def _extra(location: Location, address: int) -> dict[str, object]:
    return {
        "symbol": location.symbol,
        "object": location.object,
        "address": address,
    }


def _name(location: Location) -> str:
    """Returns the symbol and offset of a location.

    If the symbol is unknown, returns the object; if that is unknown, too, returns "".
    """
    offset = _offset(location)
    if location.symbol is not None and offset is not None:
        return f"{location.symbol}+{offset:#x}"
    return "" if location.object == UNKNOWN else location.object


def _offset(location: Location) -> Optional[int]:
    """Returns the offset of the location from the start of its symbol."""
    if location.offset is None or location.start is None:
        return None
    return location.offset - location.start
