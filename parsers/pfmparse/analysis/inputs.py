# SPDX-License-Identifier: MIT OR GPL-2.0
"""The captures that a view is of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Protocol

from ..formats.samples import Samples
from ..recording import Batch, Recording
from ..symbols.location import UNKNOWN, Detail
from ..symbols.options import SymbolOptions
from .events import Events
from .places import Places
from .selection import Selection
from .stacks import Stacks


@dataclass(frozen=True)
class Options:
    """What is common to all views: what is selected, and how symbols are found."""

    selection: Selection
    symbols: SymbolOptions


class Watcher(Protocol):
    """Sees how far reading has come."""

    def add(self, samples: int) -> None:
        """So many more were read."""

    def remove(self) -> None:
        """Nothing more comes for now."""


class Input:
    """A capture: its selected samples, and numbers for what is in it.

    ``selection`` has what the capture asks for, too; ``selected`` counts those that
    were read so far, as often as their weight says.
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
        """``detail`` is what to look up about places; ``warn`` as for the Resolver.

        The ``watcher`` is told how many samples have been read.

        PfmParseError if nothing in the capture can be what is selected.
        """
        self.file = file
        self.recording = recording
        self.events = Events(recording)
        self.selection = options.selection.asked_of(recording.session)
        least = self.selection.detail
        detail = max(least, detail, key=list(Detail).index)
        self.places = Places(recording, options.symbols, detail, warn)
        self.stacks = Stacks(self.places)
        self.selected = 0
        self._watcher = watcher
        self._select = self.selection.of(recording, self.events, self.places)

    @property
    def host(self) -> str:
        """The name of the machine that was monitored."""
        return self.recording.session.machine.host or UNKNOWN

    def batches(self) -> Iterator[Batch]:
        """The selected samples, counted in ``selected``; a batch may have none."""
        before = self.recording.samples
        try:
            for batch in map(self._select, self.recording.batches()):
                self.selected += batch.samples.total()
                if self._watcher is not None:
                    self._watcher.add(self.recording.samples - before)
                    before = self.recording.samples
                yield batch
        finally:
            if self._watcher is not None:
                self._watcher.remove()

    def first(self) -> Optional[Samples]:
        """The first samples, selected or not, read beforehand; None if none were."""
        batches = self.recording.reopened().batches(0)
        return next((b.samples for b in batches if b.samples.count), None)

    def ahead(self) -> Iterator[Batch]:
        """The same, read beforehand and not counted."""
        return map(self._select, self.recording.reopened().batches())
