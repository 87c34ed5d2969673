# SPDX-License-Identifier: MIT OR GPL-2.0
"""The machine that was monitored: a part of the SESS chunk (docs/capture.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .json_node import Node


@dataclass(frozen=True)
class Cache:
    """A cache; ``type`` is data, instruction or unified, sizes are in bytes.

    ``shared_by`` is the number of CPUs that use it. Unknown values are None.
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

    ``id`` identifies the model as in perf, ``khz`` is the highest frequency, or the
    frequency at the time of recording. Unknown values are None.
    """

    cpus: str
    model: Optional[str]
    id: Optional[str]
    khz: Optional[int]
    caches: tuple[Cache, ...]


@dataclass(frozen=True)
class Machine:
    """The machine that was monitored; page_size in bytes, pmu None if unknown.

    Old captures lack the host name, ``boot_id`` and ``processors``.
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
        """The largest line size of a data cache in bytes, None if unknown."""
        caches = (cache for kind in self.processors for cache in kind.caches)
        return max(
            (c.line_size for c in caches if c.line_size and c.type != "instruction"),
            default=None,
        )


def parse_machine(node: Node) -> Machine:
    """The machine that a session describes."""
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
