# SPDX-License-Identifier: MIT OR GPL-2.0
"""Names and processes of threads: the THRD chunks (docs/capture.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterator, Optional, Sequence

from ..errors import PfmParseError
from .json_node import Node

IDLE = 0  # the tid of the thread that a CPU runs if there is nothing else to do
MAX_THREADS = 1 << 20  # in all THRD chunks together


@dataclass(frozen=True)
class Thread:
    """A thread, and the process ``tgid`` that it is of.

    ``ppid`` is the process's parent, ``start_ns`` when the thread started, of
    CLOCK_BOOTTIME, ``cgroup`` its process's control group; they are None if only the
    name is known.
    """

    tid: int
    tgid: int
    comm: str
    ppid: Optional[int] = None
    start_ns: Optional[int] = None
    cgroup: Optional[str] = None


class Threads:
    """What is known about threads, by number; what was said last holds."""

    def __init__(self) -> None:
        self._threads: dict[int, Thread] = {}
        # /proc does not have it; that is what the kernel calls it.
        self._idle = Thread(IDLE, IDLE, "swapper")
        self._said = 0

    def __iter__(self) -> Iterator[Thread]:
        """All of them, in increasing order of tid."""
        for tid in sorted(self._threads):
            yield self._threads[tid]

    def __len__(self) -> int:
        return len(self._threads)

    def add(self, threads: Sequence[Thread], offset: int) -> None:
        """Adds the next THRD chunk, whose payload is at byte ``offset``."""
        self._said += len(threads)
        if self._said > MAX_THREADS:
            raise PfmParseError(f"more than {MAX_THREADS} threads", offset)
        self._threads.update((thread.tid, thread) for thread in threads)

    def count_again(self) -> None:
        """What was said of a thread before others said more does not count."""
        self._said = len(self._threads)

    def name_process(self, tgid: int, comm: str) -> None:
        """Adds what a MAPS chunk says: the name of a process's first thread."""
        known = self._threads.get(tgid)
        if known is None or known.tgid != tgid:
            known = Thread(tgid, tgid, comm)
        self._threads[tgid] = replace(known, comm=comm)

    def find(self, tid: int) -> Optional[Thread]:
        """The thread, None if nothing is known about it."""
        known = self._threads.get(tid)
        return self._idle if known is None and tid == IDLE else known

    def name(self, tid: int) -> Optional[str]:
        """Its last known name, None if there is none."""
        thread = self.find(tid)
        return thread.comm if thread else None

    def cgroup(self, tgid: int) -> Optional[str]:
        """A process's control group, None if that is not known."""
        thread = self.find(tgid)
        return thread.cgroup if thread else None

    def process(self, tid: int) -> Optional[int]:
        """The process that it is of, None if that is not known."""
        thread = self.find(tid)
        return thread.tgid if thread else None


def parse_threads(text: bytes, offset: int) -> list[Thread]:
    """The threads in a THRD document that starts at byte ``offset`` of the file."""
    node = Node.parse(text, "THRD", offset)
    cgroup = node.optional("cgroup", Node.string)
    return [_thread(item, cgroup) for item in node["threads"].items()]


def _thread(node: Node, cgroup: Optional[str]) -> Thread:
    return Thread(
        tid=node["tid"].u32(),
        tgid=node["tgid"].u32(),
        comm=node["comm"].string(),
        ppid=node["ppid"].u32(),
        start_ns=node["start_ns"].u64(),
        cgroup=cgroup,
    )
