# SPDX-License-Identifier: MIT OR GPL-2.0
"""A capture file: what all of its chunks say together (docs/capture.md)."""

from __future__ import annotations

from io import BufferedIOBase
from typing import Iterator, Optional

from ..errors import PfmParseError
from .buffer import Buffer, read_buffer
from .chunks import FILE_HEADER, Chunk, ChunkReader
from .cookies import CookieFile, parse_cookies
from .kallsyms import KernelSymbols
from .maps import MapsHistory, parse_maps
from .session import parse_session
from .totals import Totals, parse_totals

MAX_MAPPINGS = 1 << 20  # in all MAPS chunks together
MAX_COOKIES = 1 << 20  # in all COOK chunks together


class Capture:
    """A capture file.

    The session is there from the start; ``maps``, ``kernel``, ``cookies``,
    ``totals`` and ``problems`` are complete once ``buffers()`` is exhausted.
    """

    def __init__(self, stream: BufferedIOBase) -> None:
        """Reads up to the session; PfmParseError if it cannot be read."""
        self.problems: list[PfmParseError] = []
        self.maps = MapsHistory()
        self.kernel: Optional[KernelSymbols] = None
        self.cookies: dict[int, CookieFile] = {}
        self.totals: Optional[Totals] = None
        self._mappings = 0
        self._reader = ChunkReader(stream, self.problems)
        self._chunks = iter(self._reader)
        first = next(self._chunks, None)
        if first is not None and first.type == "SESS":
            self.session_text = bytes(first.payload)
            self.session = parse_session(self.session_text, first.offset)
        elif self.problems:
            raise self.problems[0]
        else:
            text = "the session is not the first chunk"
            raise PfmParseError(text, FILE_HEADER.itemsize, truncated=first is None)
        self._contexts = {context.id for context in self.session.contexts}

    def buffers(self) -> Iterator[Buffer]:
        """The copies of buffers in file order; can be iterated once."""
        for chunk in self._chunks:
            try:
                if chunk.type == "BUFR":
                    unread = self._reader.unread_buffers
                    yield read_buffer(chunk, self._contexts, self.maps.epoch, unread)
                else:
                    self._note(chunk)
            except PfmParseError as problem:
                self.problems.append(problem)
                self._reader.unread_buffers += chunk.type == "BUFR"
        if self.totals is None and not any(p.truncated for p in self.problems):
            text = "the file ends without a DONE chunk that can be read"
            end = self._reader.offset
            self.problems.append(PfmParseError(text, end, truncated=True))

    def _note(self, chunk: Chunk) -> None:
        """Stores what a chunk says about the capture as a whole."""
        text = bytes(chunk.payload)
        if chunk.type == "MAPS":
            maps = parse_maps(text, chunk.offset)
            self._mappings += len(maps.mappings)
            if self._mappings > MAX_MAPPINGS:
                many = f"more than {MAX_MAPPINGS} mappings"
                raise PfmParseError(many, chunk.offset)
            self.maps.add(maps)
        elif chunk.type == "COOK":
            cookies = {**self.cookies, **parse_cookies(text, chunk.offset)}
            if len(cookies) > MAX_COOKIES:
                raise PfmParseError(f"more than {MAX_COOKIES} cookies", chunk.offset)
            self.cookies = cookies
        elif chunk.type == "KSYM" and self.kernel is None:
            self.kernel = KernelSymbols(text, chunk.offset)
        elif chunk.type == "DONE" and self.totals is None:
            self.totals = parse_totals(text, chunk.offset)
        else:
            raise PfmParseError(f"a second {chunk.type}", chunk.offset)
