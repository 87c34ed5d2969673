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
    from .stacks import Stacks


@dataclass(frozen=True)
class Options:
    """Options of all views: the selection, and how to find symbols."""

    selection: Selection
    symbols: SymbolOptions


class Watcher(Protocol):
    """Receives the progress of reading."""

    def add(self, samples: int) -> None:
        """Reports that ``samples`` more samples were read."""

    def remove(self) -> None:
        """Reports that reading has stopped for now."""


class Input:
    """A capture: its selected samples, and dense numbers for its contents.

    ``selection`` includes what the capture itself requests; ``selected`` is the sum of
    the weights of the selected samples that were read so far.
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
        """``detail`` says what to look up about places; ``warn`` is as in Resolver.

        The ``watcher`` receives the number of samples that have been read.

        Raises PfmParseError if nothing in the capture can match the selection.
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
        """Says that the capture itself restricts the samples, None if it does not."""
        if self._asked.groups or not self.selection.cgroups:
            return None
        names = ", ".join(self.selection.cgroups)
        return f"only samples of control group {names}, as the capture requests"

    @cached_property
    def stacks(self) -> Stacks:
        """Numbers for the samples' call stacks."""
        from .stacks import Stacks  # many views need no stacks

        return Stacks(self.places)

    @property
    def host(self) -> str:
        """The name of the machine that was monitored."""
        return self.recording.session.machine.host or UNKNOWN

    def batches(self) -> Iterator[Batch]:
        """The selected samples, counted in ``selected``; a batch may be empty."""
        before = self.recording.samples
        try:
            batches = self.recording.batches()
            for batch in map(self._select, _with_off_cpu(self.recording, batches)):
                self.selected += batch.samples.total()
                if self._watcher is not None:
                    self._watcher.add(self.recording.samples - before)
                    before = self.recording.samples
                yield batch
        finally:
            if self._watcher is not None:
                self._watcher.remove()

    def first(self) -> Optional[Samples]:
        """The first samples, selected or not, in a separate pass; None if empty."""
        batches = self._reread(0)
        return next((b.samples for b in batches if b.samples.count), None)

    def ahead(self) -> Iterator[Batch]:
        """The selected samples, read in a separate pass and not counted."""
        return map(self._select, self._reread())

    def _reread(self, threads: Optional[int] = None) -> Iterator[Batch]:
        """All samples, read in a separate pass."""
        again = self.recording.reopened()
        return _with_off_cpu(again, again.batches(threads))


def _with_off_cpu(recording: Recording, batches: Iterator[Batch]) -> Iterator[Batch]:
    """The batches, with a column of times off CPU if the session records them."""
    if recording.session.off_cpu is None:
        return batches
    from .off_cpu import OffCpu  # only needed by such sessions

    return OffCpu(recording).add_to(batches)
