# SPDX-License-Identifier: MIT OR GPL-2.0
"""The captures that a view reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Callable, Iterator, Optional, Protocol

from ..formats.samples import Samples
from ..recording import Batch, Recording
from ..symbols.location import UNKNOWN, Detail, SymbolOptions
from .events import Events
from .places import Places
from .selection import Selection

if TYPE_CHECKING:
    from .off_cpu import OffCpu
    from .stacks import Stacks


@dataclass(frozen=True)
class Options:
    """Options of all views: the selection, and how to find symbols."""

    selection: Selection
    symbols: SymbolOptions


class Watcher(Protocol):
    """Receives the progress of reading."""

    def add(self, samples: int) -> None:
        """Reports that this many more samples were read."""

    def remove(self) -> None:
        """Reports that reading has stopped for now."""


class Input:
    """A capture with its selected samples, and dense IDs for its contents.

    ``selection`` is the selection of the options. If that selects neither control
    groups nor containers, the control groups that the capture itself requests are added
    to it. ``selected`` is the number of selected samples that were read so far; a
    sample that represents several samples counts as that many.
    """

    def __init__(
        self,
        file: str,
        recording: Recording,
        options: Options,
        warn: Callable[[str], None],
        detail: Detail = Detail.SYMBOL,
        watcher: Optional[Watcher] = None,
    ) -> None:
        """``detail`` says what to look up about addresses.

        ``warn`` is called once for each file whose symbols are missing (see Resolver).
        ``watcher`` receives the number of samples that were read. Raises PfmParseError
        if nothing in the capture can match the selection.
        """
        self.file = file
        self.recording = recording
        self.events = Events(recording)
        self._asked = options.selection
        self.selection = options.selection.asked_of(recording.session)
        least = self.selection.detail
        detail = max(least, detail, key=list(Detail).index)
        self.places = Places(recording, options.symbols, detail, warn)
        self.selected = 0
        self._watcher = watcher
        self._select = self.selection.of(recording, self.events, self.places)

    @property
    def notice(self) -> Optional[str]:
        """Returns a message if the capture itself restricts the samples, or None."""
        if self._asked.groups or not self.selection.cgroups:
            return None
        names = ", ".join(self.selection.cgroups)
        text = f"only samples of control group {names} are selected"
        return f"{text}, as the capture requests"

    @cached_property
    def stacks(self) -> Stacks:
        """Dense IDs for the samples' call stacks."""
        from .stacks import Stacks  # many views need no stacks

        return Stacks(self.places)

    @property
    def host(self) -> str:
        """The name of the machine that was monitored."""
        return self.recording.session.machine.host or UNKNOWN

    def batches(self) -> Iterator[Batch]:
        """Yields the selected samples and counts them; a batch may be empty."""
        before = self.recording.samples
        try:
            batches = self.recording.batches()
            for batch in map(self._select, self._with_times(batches)):
                self.selected += batch.samples.total()
                if self._watcher is not None:
                    self._watcher.add(self.recording.samples - before)
                    before = self.recording.samples
                yield batch
        finally:
            if self._watcher is not None:
                self._watcher.remove()

    def first(self) -> Optional[Samples]:
        """Rereads the capture, and returns its first batch that has any samples.

        The batch includes samples that are not selected. Returns None if the capture
        has no samples.
        """
        batches = self._reread(0)
        return next((b.samples for b in batches if b.samples.count), None)

    def ahead(self) -> Iterator[Batch]:
        """Rereads the capture, and yields the selected samples; does not count them."""
        return map(self._select, self._reread())

    def _reread(self, threads: Optional[int] = None) -> Iterator[Batch]:
        """Rereads the capture, and yields all its samples."""
        return self._with_times(self.recording.reopened().batches(threads))

    def _with_times(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Adds the columns of OffCpu if the session measured times off CPU."""
        return batches if self._off_cpu is None else self._off_cpu.add_to(batches)

    @cached_property
    def _off_cpu(self) -> Optional[OffCpu]:
        if self.recording.session.off_cpu is None:
            return None
        from .off_cpu import OffCpu  # only needed by such sessions

        return OffCpu(self.recording)
