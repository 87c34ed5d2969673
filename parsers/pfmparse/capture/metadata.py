# SPDX-License-Identifier: MIT OR GPL-2.0
"""What a capture says besides its buffers: chunks that describe it as a whole."""

from __future__ import annotations

from typing import Callable, Mapping, Optional

from ..errors import PfmParseError
from .clocks import Clocks, parse_moment
from .cookies import CookieFile, parse_cookies
from .jit import JitMaps
from .kallsyms import KernelSymbols
from .maps import MapsHistory, parse_maps
from .threads import Threads, parse_threads
from .totals import Totals, parse_totals

MAX_MAPPINGS = 1 << 20  # in all MAPS chunks together
MAX_COOKIES = 1 << 20  # in all COOK chunks together


class Metadata:
    """What the chunks said that were added; a raw buffer has none."""

    def __init__(self) -> None:
        self.maps = MapsHistory()
        self.threads = Threads()
        self.kernel: Optional[KernelSymbols] = None
        self.jit = JitMaps()
        self.clocks = Clocks()
        self.cookies: dict[int, CookieFile] = {}
        self.totals: Optional[Totals] = None
        self._mappings = 0

    def add(self, kind: str, text: bytes, offset: int) -> None:
        """Adds a chunk of one of the types in ADD, which starts at byte ``offset``.

        PfmParseError if it cannot be read, or may not be there.
        """
        ADD[kind](self, text, offset)

    def add_maps(self, text: bytes, offset: int) -> None:
        """Adds the mappings of a process."""
        maps = parse_maps(text, offset)
        self._mappings += len(maps.mappings)
        if self._mappings > MAX_MAPPINGS:
            raise PfmParseError(f"more than {MAX_MAPPINGS} mappings", offset)
        self.maps.add(maps)
        self.threads.name_process(maps.tgid, maps.comm)

    def add_threads(self, text: bytes, offset: int) -> None:
        """Adds names and processes of threads."""
        self.threads.add(parse_threads(text, offset), offset)

    def add_jit(self, payload: bytes, offset: int) -> None:
        """Adds functions that a process has made."""
        self.jit.add(payload, offset)

    def add_clocks(self, text: bytes, offset: int) -> None:
        """Adds what the clocks showed in one moment."""
        self.clocks.add(parse_moment(text, offset), offset)

    def add_cookies(self, text: bytes, offset: int) -> None:
        """Adds files of cookies."""
        cookies = {**self.cookies, **parse_cookies(text, offset)}
        if len(cookies) > MAX_COOKIES:
            raise PfmParseError(f"more than {MAX_COOKIES} cookies", offset)
        self.cookies = cookies

    def add_kernel(self, text: bytes, offset: int) -> None:
        """Adds the kernel's symbols."""
        if self.kernel is not None:
            raise PfmParseError("a second KSYM", offset)
        self.kernel = KernelSymbols(text, offset)

    def add_totals(self, text: bytes, offset: int) -> None:
        """Adds what the tool counted."""
        if self.totals is not None:
            raise PfmParseError("a second DONE", offset)
        self.totals = parse_totals(text, offset)


# By type of chunk: what adds its text, which starts at that byte of the file.
ADD: Mapping[str, Callable[[Metadata, bytes, int], None]] = {
    "MAPS": Metadata.add_maps,
    "THRD": Metadata.add_threads,
    "JITM": Metadata.add_jit,
    "CLCK": Metadata.add_clocks,
    "KSYM": Metadata.add_kernel,
    "COOK": Metadata.add_cookies,
    "DONE": Metadata.add_totals,
}
