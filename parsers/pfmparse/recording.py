# SPDX-License-Identifier: MIT OR GPL-2.0
"""The samples of a capture or of a single raw buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Iterator, Optional, Protocol

from . import formats
from .capture import Buffer, Capture
from .errors import PfmParseError
from .kallsyms import KernelSymbols
from .maps import MapsHistory
from .samples import Samples
from .session import Session, Totals, parse_session


class Source(Protocol):
    """Where buffers come from: a capture or a raw image."""

    session: Session
    problems: list[PfmParseError]
    maps: MapsHistory
    kernel: Optional[KernelSymbols]
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
        self.totals: Optional[Totals] = None
        self._data = data

    def buffers(self) -> Iterator[Buffer]:
        """The one buffer."""
        yield Buffer(
            memoryview(self._data), epoch=0, offset=0, compressed=False, whole=False
        )


@dataclass(frozen=True)
class Batch:
    """The samples of one buffer, and the epoch of the mappings that apply."""

    samples: Samples
    epoch: int


class Recording:
    """Decodes a source; its totals are complete when ``batches()`` has ended."""

    def __init__(self, source: Source) -> None:
        """PfmParseError if there is no parser for the session's format."""
        self.source = source
        self.session = source.session
        self.format = formats.find(source.session.format.uuid)
        self.samples = 0
        self.buffers = 0
        self._decode = self.format.decoder(source.session)

    @property
    def problems(self) -> list[PfmParseError]:
        """What was wrong with the input so far."""
        return self.source.problems

    @property
    def truncated(self) -> bool:
        """The input ends too early."""
        return any(problem.truncated for problem in self.problems)

    @property
    def useless(self) -> bool:
        """The input is damaged and no sample could be had from it."""
        damaged = any(not problem.truncated for problem in self.problems)
        return damaged and self.samples == 0

    @property
    def lost(self) -> Optional[int]:
        """Samples that were lost, None if the tool did not tell."""
        return self.source.totals.lost if self.source.totals else None

    @property
    def notifications(self) -> Optional[int]:
        """Notifications that the tool received, None if it did not tell."""
        return self.source.totals.notifications if self.source.totals else None

    def summary(self) -> dict[str, object]:
        """The members that the JSON of all commands ends with."""
        problems = [{"offset": p.offset, "message": p.message} for p in self.problems]
        return {
            "lost": self.lost,
            "notifications": self.notifications,
            "truncated": self.truncated,
            "problems": problems,
        }

    def batches(self) -> Iterator[Batch]:
        """The samples of each buffer, as far as they could be decoded."""
        for buffer in self.source.buffers():
            self.buffers += 1
            try:
                decoded = self._decode(buffer.data)
            except PfmParseError as problem:
                self.problems.append(_in_file(problem, buffer))
                continue
            if decoded.problem is not None:
                self.problems.append(_in_file(decoded.problem, buffer))
            self.samples += decoded.samples.count
            yield Batch(decoded.samples, buffer.epoch)


def _in_file(problem: PfmParseError, buffer: Buffer) -> PfmParseError:
    """A decoder's problem, as one of the file that holds the buffer."""
    # A copy that is whole but too short is damaged: nothing was cut off.
    truncated = problem.truncated and not buffer.whole
    if buffer.compressed:
        message = f"decompressed, byte {problem.offset:#x}: {problem.message}"
        return PfmParseError(message, buffer.offset, truncated)
    return PfmParseError(problem.message, buffer.offset + problem.offset, truncated)


def open_capture(stream: BinaryIO) -> Recording:
    """The samples of a capture; PfmParseError if nothing in it is usable."""
    return Recording(Capture(stream))


def open_raw(data: bytes, session_text: bytes) -> Recording:
    """The samples of a buffer's image, described by a SESS document."""
    return Recording(RawBuffer(data, parse_session(session_text, 0)))
