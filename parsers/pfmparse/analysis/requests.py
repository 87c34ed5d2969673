# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse what users request: keys, figures, conditions and times.

This module imports nothing that is slow to import, because option parsers need it.
"""

from __future__ import annotations

import re
from typing import Callable, Mapping, NamedTuple, Optional, Sequence

from ..formats.roles import AGGREGATES, Role

MAX_RANGE = 1 << 16  # maximum number of elements in a range such as 0-3

ROLES = {role.value: role for role in Role if role not in AGGREGATES}
KEYS = (
    *("function", "ip", "line", "image", "data-address", "data-symbol"),
    *("branch-from", "branch-to", "branch-flags", "caller", "tid", "process", "comm"),
    *("cgroup", "pmd", "event", "kernel", "latency", "data-source", "state"),
    *("file", "host"),
)
NAMES = tuple(dict.fromkeys((*KEYS, *ROLES)))  # what --by accepts, besides columns

SUM, MEAN, MIN, MAX, COUNT, HISTOGRAM = "sum", "mean", "min", "max", "count", "hist"
STATS = (SUM, MEAN, MIN, MAX, COUNT, HISTOGRAM)
PERCENTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]{1,3})?)")
NAME = r"[0-9]{1,3}|[A-Za-z_][\w-]*"
WANTED = re.compile(f"({NAME})(?:/({NAME}))?")
PMD = re.compile(r"pmd([0-9]{1,3})")

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "": 10**9}
SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ns|us|ms|s|)")

# The mem command: its views, what their rows stand for, and how to sort the rows.
INST, DATA, LEVEL, TLB = "inst", "data", "level", "tlb"
ADDRESS, FUNCTION, SYMBOL, LINE = "address", "function", "symbol", "line"
CACHELINE, PAGE, LATENCY = "cacheline", "page", "latency"

# The kinds of rows of each view; the first one is the default.
VIEWS: Mapping[str, tuple[str, ...]] = {
    INST: (ADDRESS, FUNCTION, SYMBOL, LINE, CACHELINE, PAGE),
    DATA: (ADDRESS, SYMBOL, CACHELINE, PAGE),
    LEVEL: (LEVEL, LATENCY),
    TLB: (LEVEL, ADDRESS, FUNCTION, SYMBOL, LINE, CACHELINE, PAGE),
}
PERS = tuple(dict.fromkeys(per for pers in VIEWS.values() for per in pers))
VALUE = "value"
ORDERS = (COUNT, VALUE, LEVEL)

SIDES = ("old", "new")  # of a comparison


class Condition(NamedTuple):
    """A condition that samples meet by having one of several values.

    ``field`` is the member of Selection that has the values. ``read`` parses values,
    and raises ValueError if the text is invalid. ``what`` describes the selected
    samples.
    """

    field: str
    metavar: str
    read: Callable[[str], Sequence[object]]
    what: str


def read_words(text: str) -> list[str]:
    """Parses a,b,c as a list; raises ValueError if it is empty."""
    found = [word for word in text.split(",") if word]
    if not found:
        raise ValueError("must not be empty")
    return found


def read_numbers(text: str) -> list[int]:
    """Parses 0,2-4 as a list; raises ValueError if it is invalid."""
    found: list[int] = []
    for part in read_words(text):
        match = re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,10}))?", part)
        if match is None:
            raise ValueError(f"must be a number or a range such as 0-3, not {part!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= MAX_RANGE or last >> 32:
            raise ValueError(
                f"invalid range {part!r}: it must ascend, stay below 2^32 "
                "and have at most 65536 numbers"
            )
        found += range(first, last + 1)
    return found


def read_pattern(text: str) -> re.Pattern[str]:
    """Parses a regular expression; raises ValueError if it is invalid."""
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"invalid regular expression {text!r}: {error}") from None


CONDITIONS = {
    "event": Condition("events", "NAME", read_words, "this event of the session"),
    "pid": Condition("pids", "PID", read_numbers, "this process"),
    "tid": Condition("tids", "TID", read_numbers, "this thread"),
    "comm": Condition(
        *("comms", "PATTERN", read_words),
        "a thread or process of this name; wildcards * ?",
    ),
    "cgroup": Condition(
        *("cgroups", "PATTERN", read_words),
        "this control group or one below; wildcards * ?",
    ),
    "container": Condition(
        *("containers", "ID", read_words), "this container; the ID may be shortened"
    ),
    "cpu": Condition(
        *("cpus", "CPU", read_numbers), "this CPU, or a range of CPUs such as 0-3"
    ),
    "set": Condition("sets", "SET", read_numbers, "this event set"),
    "object": Condition(
        *("objects", "PATTERN", read_words),
        "a program, library or [module]; wildcards * ?",
    ),
    "symbol": Condition(
        *("symbols", "REGEX", lambda text: [read_pattern(text)]),
        "functions whose name matches REGEX anywhere",
    ),
}


class Window(NamedTuple):
    """A time range, in ns, from ``start`` up to but excluding ``end``.

    If ``end`` is None, there is no end.
    """

    start: int
    end: Optional[int]

    def after(self, origin: int) -> Window:
        """Returns the window shifted by ``origin``."""
        end = None if self.end is None else self.end + origin
        return Window(self.start + origin, end)


def parse_span(text: str) -> int:
    """Parses a time such as "10ms", by default in s; returns it in ns.

    Raises ValueError if it is invalid.
    """
    match = SPAN.fullmatch(text)
    if match is None:
        raise ValueError(
            f"must be a time such as 1.5s, 20ms, 30us or 40ns, not {text!r}"
        )
    from decimal import Decimal  # slow to import, and rarely needed

    return int(Decimal(match[1]) * UNITS[match[2]])


def parse_window(text: str) -> Window:
    """Parses a window "2s-5s", "2s-" or "-5s". Raises ValueError if it is invalid."""
    first, dash, last = text.partition("-")
    if not dash:
        raise ValueError(
            f"must be a time range such as 2s-5s, 2s- or -5s, not {text!r}"
        )
    window = Window(parse_span(first or "0"), parse_span(last) if last else None)
    if window.end is not None and window.end <= window.start:
        raise ValueError(f"{text!r} ends before it begins")
    return window


def pmd_of(name: str) -> Optional[int]:
    """Returns N for ``pmdN``, and None for other names."""
    match = PMD.fullmatch(name)
    return int(match[1]) if match else None


class Wanted(NamedTuple):
    """A column whose values are shown or, with ``by``, the ratio of two columns' sums.

    Columns have the same names as in analysis.weights.Weight.
    """

    name: str
    by: Optional[str] = None

    def __str__(self) -> str:
        return self.name if self.by is None else f"{self.name}/{self.by}"

    @property
    def names(self) -> list[str]:
        """The columns whose values are needed."""
        return [self.name] if self.by is None else [self.name, self.by]

    @property
    def of_pmds(self) -> bool:
        """True if all columns are PMDs."""
        return all(pmd_of(name) is not None for name in self.names)


def parse_wanted(text: str) -> Wanted:
    """Parses a column "latency", a PMD "3", or a ratio "3/4".

    Raises ValueError if the text is invalid.
    """
    match = WANTED.fullmatch(text)
    if match is None:
        known = "a column, a PMD such as 3 or a ratio such as 3/4"
        raise ValueError(f"must be {known}, not {text!r}")
    return Wanted(_name(match[1]), _name(match[2]) if match[2] else None)


def _name(text: str) -> str:
    return f"pmd{int(text)}" if text.isdecimal() else text


def check_stat(text: str) -> str:
    """Returns the text if it names a figure, otherwise raises ValueError."""
    if text not in STATS and not PERCENTILE.fullmatch(text):
        raise ValueError(
            f"unknown figure {text!r}: use {', '.join(STATS)} or a percentile, e.g. p99"
        )
    return text
