# SPDX-License-Identifier: MIT OR GPL-2.0
"""Names and processes of threads: the THRD chunks (docs/capture.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Iterator, Optional, Sequence, Union

from ..errors import PfmParseError
from .json_node import Node

if TYPE_CHECKING:
    from .process_events import Exec, Fork, Name

IDLE = 0  # the tid of the CPUs' idle threads
MAX_THREADS = 1 << 20  # in all THRD chunks, plus new ones in PROC chunks


@dataclass(frozen=True)
class Thread:
    """A thread of process ``tgid``.

    ``ppid`` is the process's parent; ``start_ns`` is the thread's start in ns of
    CLOCK_BOOTTIME; ``cgroup`` is the process's control group. All three are None if
    only the name is known.
    """

    tid: int
    tgid: int
    comm: str
    ppid: Optional[int] = None
    start_ns: Optional[int] = None
    cgroup: Optional[str] = None


class Threads:
    """The known threads, by tid. Later information replaces earlier information."""

    def __init__(self) -> None:
        self._threads: dict[int, Thread] = {}
        # The idle thread is not in /proc; this is its name in the kernel.
        self._idle = Thread(IDLE, IDLE, "swapper")
        self._said = 0

    def __iter__(self) -> Iterator[Thread]:
        """Yields all threads, in ascending order of tid."""
        for tid in sorted(self._threads):
            yield self._threads[tid]

    def __len__(self) -> int:
        return len(self._threads)

    def add(self, threads: Sequence[Thread], offset: int) -> None:
        """Adds the threads of a THRD chunk, whose payload is at byte ``offset``."""
        if self._said + len(threads) > MAX_THREADS:
            raise PfmParseError(f"more than {MAX_THREADS} threads", offset)
        self._said += len(threads)
        self._threads.update((thread.tid, thread) for thread in threads)

    def count_again(self) -> None:
        """From now on, counts each known thread only once towards the limit."""
        self._said = len(self._threads)

    def name_process(self, tgid: int, comm: str) -> None:
        """Sets the name of a process's main thread, from a MAPS chunk."""
        known = self._threads.get(tgid)
        if known is None or known.tgid != tgid:
            known = Thread(tgid, tgid, comm)
        self._threads[tgid] = replace(known, comm=comm)

    def fork(self, fork: Fork, offset: int) -> None:
        """Adds a thread, with the name and the control group of its creator."""
        parent = self._threads.get(fork.ptid)
        process = self._threads.get(fork.ppid)
        first = None if fork.of_process else process
        thread = Thread(
            fork.tid,
            fork.tgid,
            parent.comm if parent else "",
            ppid=first.ppid if first else fork.ppid,
            cgroup=process.cgroup if process else None,
        )
        self._change(thread, offset)

    def rename(
        self, event: Union[Exec, Name], cgroup: Optional[str], offset: int
    ) -> None:
        """Changes a thread's name and, unless ``cgroup`` is None, its control group."""
        known = self._threads.get(event.tid)
        if known is None or known.tgid != event.tgid:
            known = Thread(event.tid, event.tgid, "")
        now = replace(known, comm=event.comm, cgroup=cgroup or known.cgroup)
        self._change(now, offset)

    def _change(self, thread: Thread, offset: int) -> None:
        """Adds a thread, or changes a known one, which is not counted again."""
        known = [] if thread.tid in self._threads else [thread]
        self.add(known, offset)
        self._threads[thread.tid] = thread

    def find(self, tid: int) -> Optional[Thread]:
        """Returns the thread, None if it is unknown."""
        known = self._threads.get(tid)
        return self._idle if known is None and tid == IDLE else known

    def name(self, tid: int) -> Optional[str]:
        """Returns the last known name of a thread, None if it is unknown."""
        thread = self.find(tid)
        return thread.comm if thread else None

    def cgroup(self, tgid: int) -> Optional[str]:
        """Returns a process's control group, None if it is unknown."""
        thread = self.find(tgid)
        return thread.cgroup if thread else None

    def process(self, tid: int) -> Optional[int]:
        """Returns the process of a thread, None if it is unknown."""
        thread = self.find(tid)
        return thread.tgid if thread else None


def parse_threads(text: bytes, offset: int) -> list[Thread]:
    """Parses the THRD document that starts at byte ``offset`` of the file."""
    node = Node.parse(text, "THRD", offset)
    cgroup = node.optional("cgroup", Node.string)
    return [_thread(item, cgroup) for item in node["threads"].items()]


def _thread(node: Node, cgroup: Optional[str]) -> Thread:
    return Thread(
        tid=node["tid"].u32(),
        tgid=node["tgid"].u32(),
        comm=node.exact_text("comm"),
        ppid=node["ppid"].u32(),
        start_ns=node["start_ns"].u64(),
        cgroup=cgroup,
    )
