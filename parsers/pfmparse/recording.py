# SPDX-License-Identifier: MIT OR GPL-2.0
"""The samples of a capture or of a single raw buffer."""

from __future__ import annotations

from dataclasses import dataclass
from io import BufferedIOBase
from typing import Iterator, Optional, Protocol, Sequence

from .capture.buffer import Buffer
from .capture.cookies import CookieFile
from .capture.file import Capture
from .capture.kallsyms import KernelSymbols
from .capture.maps import MapsHistory
from .capture.session import Session, parse_session
from .capture.totals import Totals
from .errors import PfmParseError
from .formats import registry
from .formats.samples import Decoder, Lost, Region, Samples


class Source(Protocol):
    """Where buffers come from: a capture or a raw image."""

    session: Session
    problems: list[PfmParseError]
    maps: MapsHistory
    kernel: Optional[KernelSymbols]
    cookies: dict[int, CookieFile]
    totals: Optional[Totals]

    def buffers(self) -> Iterator[Buffer]:
        """The buffers in the order in which they were copied."""


class RawBuffer:
    """The image of one buffer, without a capture around it."""

    def __init__(self, data: bytes, session: Session) -> None:
        self.session = session
        self.problems: list[PfmParseError] = []
        self.maps = MapsHistory()
        self.kernel: Optional[KernelSymbols] = None
        self.cookies: dict[int, CookieFile] = {}
        self.totals: Optional[Totals] = None
        self._data = data

    def buffers(self) -> Iterator[Buffer]:
        """The one buffer."""
        data = memoryview(self._data)
        yield Buffer(data, 0, epoch=0, offset=0, stored="", whole=False)


@dataclass(frozen=True)
class Batch:
    """Samples of one buffer, and the epoch of the mappings that apply."""

    samples: Samples
    epoch: int


class Recording:
    """Decodes a source; its totals are complete once ``batches()`` is exhausted.

    ``in_buffers`` is what the last buffer of each context says was lost.
    """

    def __init__(self, source: Source) -> None:
        """PfmParseError if there is no parser for the session's format."""
        self.source = source
        self.session = source.session
        self.format = registry.find(source.session.format.uuid)
        self.samples = 0
        self.buffers = 0
        self.imprecise = 0
        self.in_buffers: dict[int, Lost] = {}
        self._decoders: dict[int, Decoder] = {}
        self._unread = 0

    @property
    def problems(self) -> list[PfmParseError]:
        """What was wrong with the input so far."""
        return self.source.problems

    @property
    def truncated(self) -> bool:
        """The input ends early."""
        return any(problem.truncated for problem in self.problems)

    @property
    def useless(self) -> bool:
        """The input is damaged and yielded no sample."""
        damaged = any(not problem.truncated for problem in self.problems)
        return damaged and self.samples == 0

    @property
    def lost(self) -> Optional[int]:
        """Samples that were lost, None if the tool did not say."""
        return self.source.totals.lost if self.source.totals else None

    @property
    def notifications(self) -> Optional[int]:
        """Notifications that the tool received, None if it did not say."""
        return self.source.totals.notifications if self.source.totals else None

    def lost_in_buffers(self) -> dict[str, int]:
        """What the buffers of all contexts say was lost, by reason."""
        sums: dict[str, int] = {}
        for lost in self.in_buffers.values():
            for reason, number in lost.total.items():
                sums[reason] = sums.get(reason, 0) + number
        return sums

    def lost_in_regions(self) -> list[dict[str, object]]:
        """The same for each region, if the format has regions."""
        return [
            {"context": context, "region": number, **region}
            for context, lost in sorted(self.in_buffers.items())
            for number, region in enumerate(lost.regions)
        ]

    def batches(self) -> Iterator[Batch]:
        """The samples of each buffer's regions, as far as they can be decoded."""
        for buffer in self.source.buffers():
            self.buffers += 1
            for region in self._regions(buffer):
                self.samples += region.samples.count
                self.imprecise += region.samples.count if region.imprecise else 0
                yield Batch(region.samples, buffer.epoch)

    def _regions(self, buffer: Buffer) -> Sequence[Region]:
        """Decodes a buffer; notes what was wrong and what was lost."""
        if self.format.stream and buffer.unread != self._unread:
            self._decoders.clear()
            self._unread = buffer.unread
        decode = self._decoders.get(buffer.context)
        if decode is None:
            decode = self._decoders[buffer.context] = self.format.decoder(self.session)
        try:
            decoded = decode(buffer.data)
        except PfmParseError as error:
            self._note(error, buffer)
            return ()
        for problem in decoded.problems:
            self._note(problem, buffer)
        self.in_buffers[buffer.context] = decoded.lost
        return decoded.regions

    def _note(self, problem: PfmParseError, buffer: Buffer) -> None:
        self.problems.append(problem.within(buffer.offset, buffer.stored, buffer.whole))


def open_capture(stream: BufferedIOBase) -> Recording:
    """The samples of a capture; PfmParseError if nothing in it is usable."""
    return Recording(Capture(stream))


def open_raw(data: bytes, session_text: bytes) -> Recording:
    """The samples of a buffer's image, described by a SESS document."""
    return Recording(RawBuffer(data, parse_session(session_text, 0)))
