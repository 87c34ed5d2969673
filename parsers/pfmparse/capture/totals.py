# SPDX-License-Identifier: MIT OR GPL-2.0
"""The totals of the tool: the DONE and TICK chunks (docs/capture.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .json_node import Node
from .session import pmd_index


@dataclass(frozen=True)
class Count:
    """The final value of a counter; ``context`` is None for a sum over contexts."""

    context: Optional[int]
    set: int
    pmd: int
    event: str
    value: int


@dataclass(frozen=True)
class Turns:
    """For how many ns, and how often, an event set was active in a context.

    ``whole_ns`` is the time to which counts are scaled; it is None in old captures.
    """

    context: int
    set: int
    active_ns: int
    runs: int
    whole_ns: Optional[int] = None


@dataclass(frozen=True)
class EventTotals:
    """Whether perf recorded the events of processes (PROC chunks).

    ``error`` says why it did not; None if it did. ``lost`` is the number of events that
    were lost.
    """

    error: Optional[str]
    lost: int


@dataclass(frozen=True)
class Totals:
    """The tool's totals; ``bytes`` is the size of all copied buffers.

    - ``samples``: None if the tool cannot count the samples of the format
    - ``exit_status``: None if the tool ran no command
    - ``turns``: empty if the tool did not record when event sets were active
    - ``throttled``: how often perf stopped a counter that overflowed too often, or None
    - ``limited``: how often a limit on overflows was exceeded, or None
    - ``skipped``: number of samples that the format deliberately did not record, or
      None
    - ``evicted``: how many states of threads the format evicted
    - ``process_events``: None if the session did not need the events of all processes
    - ``proc``: ``unreadable``, ``polled``, or None
    """

    samples: Optional[int]
    lost: int
    notifications: int
    bytes: int
    end_ns: int
    exit_status: Optional[int]
    counts: tuple[Count, ...]
    turns: tuple[Turns, ...] = ()
    throttled: Optional[int] = None
    limited: Optional[int] = None
    skipped: Optional[int] = None
    evicted: int = 0
    process_events: Optional[EventTotals] = None
    proc: Optional[str] = None


def parse_totals(text: bytes, offset: int) -> Totals:
    """Parses the DONE document that starts at byte ``offset`` of the file."""
    node = Node.parse(text, "DONE", offset)
    return Totals(
        samples=node["samples"].unless_null(Node.u64),
        lost=node["lost"].u64(),
        notifications=node["notifications"].u64(),
        bytes=node["bytes"].u64(),
        end_ns=node["end_ns"].u64(),
        exit_status=node["exit_status"].unless_null(_exit_status),
        counts=tuple(_count(item) for item in node["counts"].items()),
        turns=node.optional("turns", _all_turns) or (),
        throttled=node.optional("throttled", Node.u64),
        limited=node.optional("limited", Node.u64),
        skipped=node.optional("skipped", Node.u64),
        evicted=node.optional("evicted", Node.u64) or 0,
        process_events=node.optional("process_events", _event_totals),
        proc=node.optional("proc", Node.string),
    )


def _event_totals(node: Node) -> EventTotals:
    return EventTotals(node["error"].unless_null(Node.string), node["lost"].u64())


def _all_turns(node: Node) -> tuple[Turns, ...]:
    return tuple(_turns(item) for item in node.items())


def _turns(node: Node) -> Turns:
    return Turns(
        context=node["context"].u32(),
        set=node["set"].u16(),
        active_ns=node["active_ns"].u64(),
        runs=node["runs"].u64(),
        whole_ns=node.optional("whole_ns", Node.u64),
    )


def _exit_status(node: Node) -> int:
    return node.integer(-(1 << 31), (1 << 31) - 1)


def _count(node: Node) -> Count:
    return Count(
        context=node["context"].unless_null(Node.u32),
        set=node["set"].u16(),
        pmd=pmd_index(node["pmd"]),
        event=node["event"].string(),
        value=node["value"].u64(),
    )


@dataclass(frozen=True)
class Tick:
    """The totals of a live session ``elapsed_ns`` after its start.

    ``samples`` is None if the tool cannot count the samples of the format. ``skipped``
    is the number of samples that the format deliberately did not record; it is 0 in old
    captures.
    """

    elapsed_ns: int
    samples: Optional[int]
    lost: int
    skipped: int = 0


def parse_tick(text: bytes, offset: int) -> Tick:
    """Parses the TICK document that starts at byte ``offset`` of the file."""
    node = Node.parse(text, "TICK", offset)
    return Tick(
        elapsed_ns=node["elapsed_ns"].u64(),
        samples=node["samples"].unless_null(Node.u64),
        lost=node["lost"].u64(),
        skipped=node.optional("skipped", Node.u64) or 0,
    )
