# SPDX-License-Identifier: MIT OR GPL-2.0
"""The monitored session: the SESS chunk (docs/capture.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Mapping, Optional, TypeVar

from .json_node import Node


@dataclass(frozen=True)
class Cache:
    """A cache; ``type`` is data, instruction or unified, sizes are in bytes.

    ``shared_by`` is the number of CPUs that use the cache. Unknown values are None.
    """

    level: int
    type: str
    size: Optional[int]
    line_size: Optional[int]
    ways: Optional[int]
    shared_by: Optional[int]


@dataclass(frozen=True)
class Processors:
    """CPUs of one kind; ``cpus`` lists them, such as "0-3,8".

    ``id`` is perf's identifier of the model. ``khz`` is the highest frequency or, if
    that is unknown, the frequency at the time of recording. Unknown values are None.
    """

    cpus: str
    model: Optional[str]
    id: Optional[str]
    khz: Optional[int]
    caches: tuple[Cache, ...]


@dataclass(frozen=True)
class Machine:
    """The machine that was monitored; ``page_size`` is in bytes.

    ``pmu`` is None if it is unknown. Old captures lack the host name, ``boot_id`` and
    ``processors``.
    """

    arch: str
    release: str
    cpus: int
    page_size: int
    pmu: Optional[str]
    host: Optional[str] = None
    boot_id: Optional[str] = None
    processors: tuple[Processors, ...] = ()

    @property
    def cache_line(self) -> Optional[int]:
        """The largest line size of the data caches in bytes, None if unknown."""
        caches = (cache for kind in self.processors for cache in kind.caches)
        return max(
            (c.line_size for c in caches if c.line_size and c.type != "instruction"),
            default=None,
        )


def parse_machine(node: Node) -> Machine:
    """Returns the machine that a session describes."""
    return Machine(
        arch=node["arch"].string(),
        release=node["release"].string(),
        cpus=node["cpus"].u32(),
        page_size=node["page_size"].u64(),
        pmu=node["pmu"].unless_null(Node.string),
        host=node.optional("host", Node.string),
        boot_id=node.optional("boot_id", Node.string),
        processors=node.optional("processors", _kinds) or (),
    )


def _kinds(node: Node) -> tuple[Processors, ...]:
    return tuple(_processors(item) for item in node.items())


def _processors(node: Node) -> Processors:
    return Processors(
        cpus=node["cpus"].string(),
        model=node["model"].unless_null(Node.string),
        id=node["id"].unless_null(Node.string),
        khz=node["khz"].unless_null(Node.u64),
        caches=tuple(_cache(item) for item in node["caches"].items()),
    )


def _cache(node: Node) -> Cache:
    return Cache(
        level=node["level"].u16(),
        type=node["type"].string(),
        size=node["size"].unless_null(Node.u64),
        line_size=node["line_size"].unless_null(Node.u32),
        ways=node["ways"].unless_null(Node.u32),
        shared_by=node["shared_by"].unless_null(Node.u32),
    )


@dataclass(frozen=True)
class View:
    """The view that a capture requests: a pfmparse command and its long options.

    The strings are not validated yet.
    """

    command: str
    options: Mapping[str, str]


def parse_view(node: Node) -> View:
    """Returns the view in a session."""
    options = {
        name: value.string() for name, value in node["options"].members().items()
    }
    return View(node["command"].string(), options)


T = TypeVar("T")

SESSION_VERSION = 1
MAX_PMCS = 320  # PFM_MAX_PMCS
MAX_PMDS = 320  # PFM_MAX_PMDS
PLAIN_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class FormatId:
    """The sampling format: name, UUID in lower case, and the bytes of its argument."""

    name: str
    uuid: str
    arg: bytes


@dataclass(frozen=True)
class Context:
    """A context; ``tid`` and ``cpu`` are None if they do not apply.

    ``tgid`` is the process of ``tid``, None if the capture does not record it.
    ``buf_size`` is in bytes.
    """

    id: int
    tid: Optional[int]
    cpu: Optional[int]
    buf_size: int
    tgid: Optional[int] = None


@dataclass(frozen=True)
class Pmc:
    """A PMC, as written by the recording tool."""

    num: int
    value: int
    flags: int


@dataclass(frozen=True)
class Pmd:
    """A PMD, as written by the tool; smpl_pmds and reset_pmds are in ascending order.

    ``cpus`` lists the CPUs that count the event; None means all. ``frequency`` is the
    sampling frequency to which the periods are adapted; None means fixed periods.
    """

    num: int
    event: str
    value: int
    long_reset: int
    short_reset: int
    random_mask: int
    random_seed: int
    sampling: bool
    notify: bool
    smpl_pmds: tuple[int, ...]
    reset_pmds: tuple[int, ...]
    eventid: int
    cpus: Optional[str] = None
    frequency: Optional[int] = None


@dataclass(frozen=True)
class EventSet:
    """An event set."""

    id: int
    pmcs: tuple[Pmc, ...]
    pmds: tuple[Pmd, ...]


@dataclass(frozen=True)
class Session:
    """One monitoring run of a tool.

    ``start_ns`` is the start, in ns since 1970. ``command`` is None if the tool ran no
    command. ``view`` is the view that the capture requests, or None. ``cgroups`` are
    patterns of the control groups to select; if it is empty, all samples are selected.
    If ``off_cpu`` is not None, samples are context switches, and the PMD with this
    index contains the thread's CPU time in ns. If ``wall_clock`` is not None, overflows
    of the PMD with this index are samples of a clock instead.
    """

    tool: str
    command: Optional[tuple[str, ...]]
    mode: str
    start_ns: int
    machine: Machine
    format: FormatId
    contexts: tuple[Context, ...]
    sets: tuple[EventSet, ...]
    view: Optional[View] = None
    cgroups: tuple[str, ...] = ()
    off_cpu: Optional[int] = None
    wall_clock: Optional[int] = None

    def contexts_by_id(self) -> dict[int, Context]:
        """Returns the contexts of the session, by ID."""
        return {context.id: context for context in self.contexts}

    @property
    def recorded_pmds(self) -> frozenset[int]:
        """The indices of the PMDs whose values samples can have."""
        return frozenset(
            number
            for event_set in self.sets
            for pmd in event_set.pmds
            if pmd.sampling
            for number in pmd.smpl_pmds
        )


def parse_session(text: bytes, offset: int) -> Session:
    """Parses the SESS document that starts at byte ``offset`` of the file.

    Raises PfmParseError if the document is not valid. The message lists all errors,
    because users write sessions for raw buffers by hand.
    """
    node = Node.parse(text, "SESS", offset, [])
    node["version"].integer(SESSION_VERSION, SESSION_VERSION)
    session = Session(
        tool=node["tool"].string(),
        command=node["command"].unless_null(_strings),
        mode=_mode(node["mode"]),
        start_ns=node["start_ns"].u64(),
        machine=parse_machine(node["machine"]),
        format=_format(node["format"]),
        contexts=_unique(node["contexts"], _context, lambda c: c.id),
        sets=_unique(node["sets"], _event_set, lambda s: s.id),
        view=node.optional("view", parse_view),
        cgroups=node.optional("cgroups", _strings) or (),
        off_cpu=node.optional("off_cpu", pmd_index),
        wall_clock=node.optional("wall_clock", pmd_index),
    )
    node.check()
    return session


def parse_context(text: bytes, offset: int) -> Context:
    """Parses the CTXT document that starts at byte ``offset`` of the file."""
    return _context(Node.parse(text, "CTXT", offset))


def _strings(node: Node) -> tuple[str, ...]:
    return tuple(item.string() for item in node.items())


def _mode(node: Node) -> str:
    mode = node.string()
    if mode not in ("thread", "system-wide"):
        node.refuse('must be "thread" or "system-wide"')
    return mode


def _format(node: Node) -> FormatId:
    given, uuid_text = node["uuid"], ""
    try:
        uuid_text = plain_uuid(given.string())
    except ValueError:
        given.refuse("not a UUID")
    return FormatId(node["name"].string(), uuid_text, node["arg"].hexadecimal())


def plain_uuid(text: str) -> str:
    """Returns a UUID in canonical form; raises ValueError if ``text`` is not valid."""
    if PLAIN_UUID.fullmatch(text):
        return text
    import uuid  # slow to import, and rarely needed

    return str(uuid.UUID(text))


def _context(node: Node) -> Context:
    return Context(
        id=node["id"].u32(),
        tid=node["tid"].unless_null(Node.u32),
        cpu=node["cpu"].unless_null(Node.u32),
        buf_size=node["buf_size"].u64(),
        tgid=node.optional("tgid", Node.u32),
    )


def _event_set(node: Node) -> EventSet:
    return EventSet(
        id=node["id"].u16(),
        pmcs=_unique(node["pmcs"], _pmc, lambda pmc: pmc.num),
        pmds=_unique(node["pmds"], _pmd, lambda pmd: pmd.num),
    )


def _pmc(node: Node) -> Pmc:
    return Pmc(
        num=node["num"].integer(0, MAX_PMCS - 1),
        value=node["value"].u64(),
        flags=node["flags"].u32(),
    )


def _pmd(node: Node) -> Pmd:
    return Pmd(
        num=pmd_index(node["num"]),
        event=node["event"].string(),
        value=node["value"].u64(),
        long_reset=node["long_reset"].u64(),
        short_reset=node["short_reset"].u64(),
        random_mask=node["random_mask"].u64(),
        random_seed=node["random_seed"].u32(),
        sampling=node["sampling"].boolean(),
        notify=node["notify"].boolean(),
        smpl_pmds=_pmd_list(node["smpl_pmds"]),
        reset_pmds=_pmd_list(node["reset_pmds"]),
        eventid=node["eventid"].u64(),
        cpus=node.optional("cpus", Node.string),
        frequency=node.optional("frequency", Node.u64),
    )


def pmd_index(node: Node) -> int:
    """Returns the index of a PMD."""
    return node.integer(0, MAX_PMDS - 1)


def _pmd_list(node: Node) -> tuple[int, ...]:
    return tuple(sorted(_unique(node, pmd_index, lambda index: index)))


def _unique(
    node: Node, read: Callable[[Node], T], key: Callable[[T], int]
) -> tuple[T, ...]:
    """Returns the elements of an array, whose keys must be unique."""
    items = tuple(read(item) for item in node.items())
    keys: set[int] = set()
    for item in items:
        if key(item) in keys:
            node.refuse(f"{key(item)} is listed twice")
        keys.add(key(item))
    return items
