# SPDX-License-Identifier: MIT OR GPL-2.0
"""The conditions that select samples, by name, and how to read their values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence

from .selection import Selection
from .times import Window

MAX_RANGE = 1 << 16  # numbers in a range such as 0-3


@dataclass(frozen=True)
class Condition:
    """A condition that is a list of values.

    ``field`` is its field of Selection. ``read`` reads values from a text, and raises
    ValueError if the text is invalid. ``what`` describes the selected samples.
    """

    field: str
    metavar: str
    read: Callable[[str], Sequence[object]]
    what: str


def read_words(text: str) -> list[str]:
    """Reads a,b,c as a list. Raises ValueError if it is empty."""
    found = [word for word in text.split(",") if word]
    if not found:
        raise ValueError("must not be empty")
    return found


def read_numbers(text: str) -> list[int]:
    """Reads 0,2-4 as a list. Raises ValueError if it is not one."""
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
    """Reads a regular expression. Raises ValueError if it is invalid."""
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


def selected(
    values: Mapping[str, Sequence[Any]],
    kernel: Optional[bool],
    time: Optional[Window],
) -> Selection:
    """The selection by the values of CONDITIONS, the privilege level and the time."""
    fields = {CONDITIONS[name].field: found for name, found in values.items()}
    return Selection(kernel=kernel, time=time, **fields)
