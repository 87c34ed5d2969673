# SPDX-License-Identifier: MIT OR GPL-2.0
"""The samples of a capture or of a single raw buffer."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BufferedIOBase
from typing import (
    TYPE_CHECKING,
    Callable,
    Iterator,
    Mapping,
    Optional,
    Protocol,
    Sequence,
)

from .capture.buffers import Buffer, Buffers, gather
from .capture.code import JitMaps, VdsoImages
from .capture.file import Capture
from .capture.maps import MapsHistory
from .capture.metadata import Metadata
from .capture.session import Context, Session, parse_session
from .capture.threads import Threads
from .capture.totals import Totals
from .errors import PfmParseError, RequestError, blamed, note
from .formats import registry
from .formats.added_columns import ContextThreads, SamplePmds
from .formats.decoding import Decoded, Decoder, Lost, Region
from .formats.samples import Samples, alike, join
from .layout import Data

if TYPE_CHECKING:
    from .capture.argument import ArgumentChange
    from .capture.clocks import Clocks
    from .capture.cookies import CookieFile
    from .capture.kallsyms import KernelCode, KernelSymbols

MUCH = 8 << 20  # with at least this many bytes of buffers, threads save time
ENOUGH = 1 << 16  # samples in a batch, unless one buffer has more


class Source(Protocol):
    """A source of buffers: a capture or a raw image."""

    session: Session
    session_text: bytes
    complete: bool
    problems: list[PfmParseError]
    maps: MapsHistory
    threads: Threads
    jit: JitMaps
    vdsos: VdsoImages
    kernel: Optional[KernelSymbols]
    kernel_code: Optional[KernelCode]
    cookies: dict[int, CookieFile]
    changes: list[ArgumentChange]
    totals: Optional[Totals]

    @property
    def clocks(self) -> Clocks:
        """The relation of the samples' clock to other clocks."""

    @property
    def contexts(self) -> Mapping[int, Context]:
        """The contexts read so far, by ID; all contexts if ``complete`` is set."""

    @property
    def bytes_of_buffers(self) -> int:
        """An upper limit for the total size of all buffers."""

    def buffers(self) -> Iterator[Buffer]:
        """Yields the buffers in the order in which they were copied."""

    def again(self) -> Source:
        """Returns a new source with the same data, to be read from the start."""

    def groups(self, threads: int) -> Iterator[list[Buffers]]:
        """Yields the buffers in groups; ``threads`` threads read in advance."""


class RawBuffer(Metadata):
    """The image of one buffer that is not in a capture."""

    complete = True

    def __init__(self, data: bytes, session_text: bytes) -> None:
        super().__init__()
        self.session = parse_session(session_text, 0)
        self.session_text = session_text
        self.contexts = self.session.contexts_by_id()
        self.problems: list[PfmParseError] = []
        self._data = data
        self.bytes_of_buffers = len(data)

    def again(self) -> RawBuffer:
        """Returns a new source with the same buffer."""
        return RawBuffer(self._data, self.session_text)

    def buffers(self) -> Iterator[Buffer]:
        """Yields the only buffer."""
        data = memoryview(self._data)
        yield Buffer(data, 0, epoch=0, offset=0, stored="", whole=False)

    def groups(self, threads: int) -> Iterator[list[Buffers]]:
        """Yields a list with the only buffer."""
        yield [Buffers.of(buffer) for buffer in self.buffers()]


@dataclass(frozen=True)
class Batch:
    """Samples of several buffers, or of a part of one buffer.

    All samples belong to the same ``context``. Their addresses are looked up in the
    mappings of ``epoch`` (see capture/maps.py). ``lost`` has the numbers of losses, by
    reason, since the context's previous batch.
    """

    samples: Samples
    epoch: int
    context: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)


@dataclass
class _Part:
    """Samples and losses of one context and epoch, which will become one batch."""

    samples: list[Samples] = field(default_factory=list)
    lost: list[Mapping[str, int]] = field(default_factory=list)

    def takes(self, samples: Samples) -> bool:
        """Returns whether the samples fit into this part and have the same columns."""
        if not self.samples:
            return samples.count <= ENOUGH
        room = ENOUGH - sum(part.count for part in self.samples)
        return samples.count <= room and alike(self.samples[0], samples)

    def joined(self) -> Samples:
        """Returns all samples of the part."""
        return join(self.samples)


class Recording:
    """Decodes a source. The totals are complete only after the last batch.

    ``samples`` is the number of all samples, and ``imprecise`` that of the imprecise
    ones; a record that stands for n samples counts as n. ``in_buffers`` has the losses
    that the last buffer of each context reports. ``origin`` names the package that
    provides the format's parser. If no package provides one, ``no_parser`` is the
    error, and ``uncounted`` is set if the samples of a buffer cannot even be counted.
    """

    def __init__(self, source: Source, any_format: bool = False) -> None:
        """Raises PfmParseError if the session's format has no parser.

        If ``any_format`` is set, accepts an unknown format: its samples have no
        columns, and are counted if the buffers say how many samples they hold.
        """
        self.source = source
        self._any_format = any_format
        self.session = source.session
        self.origin: Optional[str] = None
        self.no_parser: Optional[PfmParseError] = None
        self._counts: Optional[Callable[[Data], bool]] = None
        try:
            parser = registry.find_parser(source.session.format.uuid)
            self.format, self.origin = parser.format, parser.origin
        except PfmParseError as error:
            if not any_format:
                raise
            from .formats import unknown  # also imports sinks, and is rarely needed

            self.no_parser, self._counts = error, unknown.counts
            self.format = unknown.stand_in(source.session.format)
        self.samples = 0
        self.buffers = 0
        self.imprecise = 0
        self.uncounted = False
        self.in_buffers: dict[int, Lost] = {}
        self._skipped: dict[int, int] = {}
        self._decoders: dict[int, Decoder] = {}
        self._told: dict[int, Mapping[str, int]] = {}
        self._unread = 0
        self._pmds = SamplePmds.of(self.session)
        self._threads = ContextThreads.of(
            self.session.mode, source.contexts, source.complete
        )

    def reopened(self) -> Recording:
        """Returns a new recording of the same source, which is read independently."""
        return Recording(self.source.again(), self._any_format)

    @property
    def problems(self) -> list[PfmParseError]:
        """The problems with the input so far, in order of their offsets."""
        return self.source.problems

    @property
    def missing(self) -> list[str]:
        """The columns of PMDs that were read and are 0 in all samples."""
        return [] if self._pmds is None else self._pmds.missing

    @property
    def truncated(self) -> bool:
        """True if the input ends early."""
        return any(problem.truncated for problem in self.problems)

    @property
    def useless(self) -> bool:
        """True if the input is damaged and no sample could be decoded."""
        damaged = any(not problem.truncated for problem in self.problems)
        return damaged and self.samples == 0

    @property
    def lost(self) -> Optional[int]:
        """The number of lost samples, None if the tool did not record it."""
        return self.source.totals.lost if self.source.totals else None

    @property
    def skipped(self) -> int:
        """The number of samples that the format deliberately did not record.

        If the tool did not record this number, it is the sum of the numbers that the
        last buffers of all contexts report.
        """
        totals = self.source.totals
        if totals is not None and totals.skipped is not None:
            return totals.skipped
        return sum(self._skipped.values())

    @property
    def evicted(self) -> int:
        """The number of thread states that the format evicted, 0 if not recorded."""
        return self.source.totals.evicted if self.source.totals else 0

    @property
    def throttled(self) -> Optional[int]:
        """The number of times that perf throttled a counter, None if not recorded."""
        return self.source.totals.throttled if self.source.totals else None

    @property
    def limited(self) -> Optional[int]:
        """The number of times that overflows exceeded a limit, None if not recorded."""
        return self.source.totals.limited if self.source.totals else None

    @property
    def notifications(self) -> Optional[int]:
        """The number of notifications that the tool received, None if not recorded."""
        return self.source.totals.notifications if self.source.totals else None

    def lost_in_buffers(self) -> dict[str, int]:
        """Returns the losses that the buffers of all contexts report, by reason."""
        sums: dict[str, int] = {}
        for lost in self.in_buffers.values():
            for reason, number in lost.total.items():
                sums[reason] = sums.get(reason, 0) + number
        return sums

    def lost_in_regions(self) -> list[dict[str, object]]:
        """Returns the losses of each region, if the format has regions."""
        return [
            {"context": context, "region": number, **region}
            for context, lost in sorted(self.in_buffers.items())
            for number, region in enumerate(lost.regions)
        ]

    def described_argument(
        self, change: Optional[ArgumentChange] = None
    ) -> Optional[Mapping[str, object]]:
        """Returns the values in the format's argument by name, None if unknown.

        By default, these are the values at the beginning. With a change from
        ``source.changes``, they are the values after this change.
        """
        try:
            return self.format.describe_arg((change or self.session.format).arg)
        # A format of another package may raise any exception. "pfmparse info" must
        # still print everything else.
        except Exception as error:
            note(self.problems, self._fault("describe_arg", error))
            return None

    def batches(self, threads: Optional[int] = None) -> Iterator[Batch]:
        """Yields all samples that can be decoded; each context's samples are in order.

        Up to ``threads`` threads read in advance; by default, as many as save time.
        """
        if threads is None:
            threads = _worth(self.source.bytes_of_buffers)
        for runs in gather(self.source.groups(threads)):
            for part in self._parts(runs):
                lost = _sum(part.lost)
                samples = self._completed(part.joined(), runs[0].context)
                yield Batch(samples, runs[0].epoch, runs[0].context, lost)

    def _completed(self, samples: Samples, context: int) -> Samples:
        """Adds columns that the format itself does not provide.

        They have the values of certain PMDs that the samples record, and the thread
        that the context monitored (see formats/added_columns.py).
        """
        if self._pmds is not None:
            samples = self._pmds.add_to(samples)
        threads = self._threads
        return samples if threads is None else threads.tell(samples, context)

    def _parts(self, runs: Sequence[Buffers]) -> Iterator[_Part]:
        """Yields the samples of one context and epoch, in parts of limited size."""
        part = _Part()
        for run in runs:
            self.buffers += len(run)
            for region in self._regions(run):
                samples = region.samples
                total = samples.total()
                self.samples += total
                self.imprecise += total if region.imprecise else 0
                if not (self.format.joined and part.takes(samples)):
                    if part.samples:
                        yield part
                    part = _Part()
                part.samples.append(samples)
                part.lost.append(self._newly_lost(run.context))
        if part.samples:
            yield part

    def _newly_lost(self, context: int) -> Mapping[str, int]:
        """Returns the context's losses since the previous call for this context."""
        now, before = self.in_buffers[context].total, self._told.get(context, {})
        self._told[context] = now
        if now is before:
            return {}
        return {
            reason: number - before.get(reason, 0) for reason, number in now.items()
        }

    def _regions(self, run: Buffers) -> Iterator[Region]:
        """Decodes buffers; notes problems and losses."""
        if self.format.stream and run.unread != self._unread:
            self._decoders.clear()
            self._unread = run.unread
        decode = self._decoders.get(run.context)
        if decode is None:
            decode = self._decoders[run.context] = self._decoder()
        together = getattr(decode, "together", None)
        decoded = None if together is None else together(run)
        if decoded is not None:
            self.in_buffers[run.context] = decoded.lost
            yield from decoded.regions
        elif together is None or len(run) == 1:
            for buffer in run:
                yield from self._decoded(decode, buffer)
        else:
            # At least one buffer is faulty. Halve the run, so that as many of the good
            # buffers as possible are decoded together.
            half = len(run) // 2
            yield from self._regions(run.part(0, half))
            yield from self._regions(run.part(half, len(run)))

    def _decoded(self, decode: Decoder, buffer: Buffer) -> Sequence[Region]:
        """Decodes one buffer."""
        try:
            decoded = decode(buffer.data)
            if not isinstance(decoded, Decoded):
                raise TypeError(f"it returned {decoded!r} instead of a Decoded object")
        except PfmParseError as error:
            self._note(error, buffer)
            return ()
        except Exception as error:
            self._note(self._fault("decoder", error), buffer)
            return ()
        for problem in decoded.problems:
            self._note(problem, buffer)
        self.in_buffers[buffer.context] = decoded.lost
        self._skipped[buffer.context] = decoded.skipped
        if self._counts is not None and not self._counts(buffer.data):
            self.uncounted = True
        return decoded.regions

    def _decoder(self) -> Decoder:
        """Returns a decoder for a context.

        Raises PfmParseError if the format cannot make one.
        """
        try:
            return self.format.decoder(self.session)
        except PfmParseError:
            raise
        except Exception as error:
            raise self._fault("decoder", error) from error

    def _fault(self, what: str, error: Exception) -> PfmParseError:
        """Returns an error about an exception in a format's code; names the package."""
        name = f"format {self.format.name} of {self.origin}"
        return RequestError(f"{what} of {name}: {blamed(error)}")

    def _note(self, problem: PfmParseError, buffer: Buffer) -> None:
        where = problem.within(buffer.offset, buffer.stored, buffer.whole)
        note(self.problems, where)


def _worth(size: int) -> int:
    """Returns the number of threads that save time for ``size`` bytes, or 0."""
    if size < MUCH:
        return 0
    from .pipeline import cpus  # only needed by large captures

    return cpus() if cpus() > 1 else 0


def _sum(losses: Sequence[Mapping[str, int]]) -> Mapping[str, int]:
    """Returns the sum of losses, by reason."""
    sums = dict(losses[0])
    for lost in losses[1:]:
        for reason, number in lost.items():
            sums[reason] = sums.get(reason, 0) + number
    return sums


def open_capture(stream: BufferedIOBase, any_format: bool = False) -> Recording:
    """Opens a capture; raises PfmParseError if nothing in it is usable.

    If ``any_format`` is set, also opens a capture whose format has no parser. Its
    samples are counted if possible, but not decoded.
    """
    return Recording(Capture(stream), any_format)


def open_raw(data: bytes, session_text: bytes, any_format: bool = False) -> Recording:
    """Opens the image of a buffer; a SESS document describes the session."""
    return Recording(RawBuffer(data, session_text), any_format)
