# SPDX-License-Identifier: MIT OR GPL-2.0
"""The metadata of a capture: all chunks except the buffers."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Callable, Mapping, Optional

from ..errors import PfmParseError
from .code import JitMaps, VdsoImages
from .maps import MapsHistory, parse_maps
from .threads import Threads, parse_threads
from .totals import Totals, parse_totals

if TYPE_CHECKING:
    from .argument import ArgumentChange
    from .clocks import Clocks
    from .cookies import CookieFile
    from .kallsyms import KernelCode, KernelSymbols
    from .process_events import Code, ProcessEvent

MAX_MAPPINGS = 1 << 21  # in all MAPS and PROC chunks together
MAX_COOKIES = 1 << 20  # in all COOK chunks together


class Metadata:
    """The contents of the metadata chunks read so far; empty for a raw buffer."""

    def __init__(self) -> None:
        self.maps = MapsHistory()
        self.threads = Threads()
        self.kernel: Optional[KernelSymbols] = None
        self.kernel_code: Optional[KernelCode] = None
        self.jit = JitMaps()
        self.vdsos = VdsoImages()
        self.cookies: dict[int, CookieFile] = {}
        self.changes: list[ArgumentChange] = []
        self.totals: Optional[Totals] = None
        self._mappings = 0
        self._has_last_kernel = False

    @cached_property
    def clocks(self) -> Clocks:
        """The readings of the clocks."""
        from .clocks import Clocks  # few views need them

        return Clocks()

    def add(self, kind: str, text: bytes, offset: int) -> None:
        """Adds a chunk whose payload is ``text`` and starts at byte ``offset``.

        ``kind`` is a key of ADD.

        Raises PfmParseError if the chunk cannot be read, or is not allowed after the
        earlier ones.
        """
        ADD[kind](self, text, offset)

    def add_maps(self, text: bytes, offset: int) -> None:
        """Adds the mappings of a process."""
        maps = parse_maps(text, offset)
        self._count_mappings(len(maps.mappings), offset)
        self.maps.add(maps)
        self.threads.name_process(maps.tgid, maps.comm)

    def add_events(self, payload: bytes, offset: int) -> None:
        """Adds the events of processes and of the kernel's code.

        If there are too many mappings, threads or functions, drops further ones, but
        still applies all other events. Processes then lack mappings, but have no
        outdated ones.
        """
        from .process_events import parse_events  # only if there are any

        problem = None
        for event in parse_events(payload, offset):
            try:
                self._apply(event, offset)
            except PfmParseError as error:
                problem = error
        if problem is not None:
            raise problem

    def _apply(self, event: ProcessEvent, offset: int) -> None:
        """Changes mappings, threads or functions according to an event."""
        from .process_events import Code, Exec, Fork, Mapped

        if isinstance(event, Mapped):
            if self._mappings >= MAX_MAPPINGS:
                raise _too_many(offset)
            begun = self.maps.map(event.time, event.tgid, event.mapping)
            self._mappings += begun + 1
        elif isinstance(event, Fork):
            if event.of_process:
                self.maps.fork(event.time, event.tgid, event.ppid)
            self.threads.fork(event, offset)
        elif isinstance(event, Exec):
            self.maps.execute(event.time, event.tgid, event.comm)
            self.threads.rename(event, event.cgroup, offset)
        elif isinstance(event, Code):
            self._add_code(event, offset)
        else:
            if event.tid == event.tgid:
                self.maps.name(event.time, event.tgid, event.comm)
            self.threads.rename(event, None, offset)

    def _add_code(self, event: Code, offset: int) -> None:
        """Adds a function that the kernel generated or freed."""
        from .kallsyms import KernelCode  # only if there are any

        if self.kernel_code is None:
            self.kernel_code = KernelCode(self.kernel)
        self.kernel_code.add(event, offset)

    def _count_mappings(self, more: int, offset: int) -> None:
        """Counts mappings; raises PfmParseError if there are too many."""
        self._mappings += more
        if self._mappings > MAX_MAPPINGS:
            raise _too_many(offset)

    def add_threads(self, text: bytes, offset: int) -> None:
        """Adds names and processes of threads."""
        self.threads.add(parse_threads(text, offset), offset)

    def add_jit(self, payload: bytes, offset: int, kind: str) -> None:
        """Adds functions that a process generated, from a chunk of this kind."""
        self.jit.add(kind, payload, offset)

    def add_vdso(self, payload: bytes, offset: int) -> None:
        """Adds the image of a vDSO."""
        self.vdsos.add(payload, offset)

    def add_clocks(self, text: bytes, offset: int) -> None:
        """Adds a reading of the clocks."""
        from .clocks import parse_moment  # only if there are any

        self.clocks.add(parse_moment(text, offset), offset)

    def add_change(self, text: bytes, offset: int) -> None:
        """Adds a change of the format's argument."""
        from .argument import MAX_CHANGES, parse_change  # only if there are any

        if len(self.changes) == MAX_CHANGES:
            raise PfmParseError(f"more than {MAX_CHANGES} FARG chunks", offset)
        self.changes.append(parse_change(text, offset))

    def add_cookies(self, text: bytes, offset: int) -> None:
        """Adds the files that cookies identify."""
        from .cookies import parse_cookies  # only the OProfile format has cookies

        cookies = {**self.cookies, **parse_cookies(text, offset)}
        if len(cookies) > MAX_COOKIES:
            raise PfmParseError(f"more than {MAX_COOKIES} cookies", offset)
        self.cookies = cookies

    def add_kernel(self, text: bytes, offset: int) -> None:
        """Adds the kernel's symbols."""
        if self.kernel is not None:
            late = "KSYM after KEND" if self._has_last_kernel else "a second KSYM chunk"
            raise PfmParseError(late, offset)
        from .kallsyms import KernelSymbols  # only if there are any

        self.kernel = KernelSymbols(text, offset)

    def add_last_kernel(self, text: bytes, offset: int) -> None:
        """Adds the symbols of the modules that the kernel has at the end."""
        if self._has_last_kernel:
            raise PfmParseError("a second KEND chunk", offset)
        from .kallsyms import KernelSymbols  # only if there are any

        self.kernel = KernelSymbols(text, offset, self.kernel)
        self._has_last_kernel = True

    def add_totals(self, text: bytes, offset: int) -> None:
        """Adds the tool's totals."""
        if self.totals is not None:
            raise PfmParseError("a second DONE chunk", offset)
        self.totals = parse_totals(text, offset)


def _too_many(offset: int) -> PfmParseError:
    return PfmParseError(f"more than {MAX_MAPPINGS} mappings", offset)


# The method that adds a chunk, by the type of the chunk.
ADD: Mapping[str, Callable[[Metadata, bytes, int], None]] = {
    "MAPS": Metadata.add_maps,
    "PROC": Metadata.add_events,
    "THRD": Metadata.add_threads,
    "JITM": partial(Metadata.add_jit, kind="JITM"),
    "JITD": partial(Metadata.add_jit, kind="JITD"),
    "VDSO": Metadata.add_vdso,
    "CLCK": Metadata.add_clocks,
    "FARG": Metadata.add_change,
    "KSYM": Metadata.add_kernel,
    "KEND": Metadata.add_last_kernel,
    "COOK": Metadata.add_cookies,
    "DONE": Metadata.add_totals,
}
