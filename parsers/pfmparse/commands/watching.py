# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read a capture while it is written, step by step."""

from __future__ import annotations

import os
from collections import Counter
from typing import Callable, Iterator, Optional

from ..analysis.inputs import Options
from ..analysis.recent import Place, Recent
from ..capture.live import LiveCapture
from ..capture.totals import Tick
from ..recording import Recording
from .top_lines import Status

PIECE = 1 << 20  # bytes per read


class Watch:
    """The state of a capture, as far as it has been read.

    ``ended`` is the number of finished steps. ``status`` and ``counts`` describe the
    last finished step.
    """

    def __init__(
        self, fd: int, options: Options, warn: Callable[[str], None], window_ns: int
    ) -> None:
        self.fd = fd
        self.capture = LiveCapture()
        self.status = Status(())
        self.counts: Counter[Place] = Counter()
        self.ended = 0
        self._options = options
        self._warn = warn
        self._window_ns = window_ns
        self._recent: Optional[Recent] = None
        self._elapsed_ns = 0

    def read(self) -> bool:
        """Reads data, and waits if there are none yet; returns False at the end."""
        data = os.read(self.fd, PIECE)
        for _ in self.steps(data):
            pass
        return bool(data)

    def read_session(self) -> bool:
        """Waits for the session; returns False if the capture ends before it."""
        while not self.capture.begun:
            if not self.read():
                return False
        return True

    def steps(self, data: bytes) -> Iterator[Tick]:
        """Decodes the next bytes of the capture; yields at the end of each step."""
        for tick in self.capture.ticks(data):
            self.end_step(tick)
            yield tick
        # The metadata that are needed to decode buffers precede the first buffer in the
        # capture, so they have been read.
        if self.capture.has_buffers:
            self._open().take()

    def end_step(self, tick: Tick) -> None:
        """Ends a step: everything that was read since the end of the previous step."""
        recent = self._open()
        recent.take()
        took = max(1, tick.elapsed_ns - self._elapsed_ns)
        self._elapsed_ns = tick.elapsed_ns
        step = recent.end_step(took, tick.lost)
        self.counts = recent.counts()
        self.ended += 1
        self.status = Status(
            events=recent.events,
            cgroups=recent.cgroups,
            elapsed_ns=tick.elapsed_ns,
            samples=recent.samples,
            lost=tick.lost,
            skipped=tick.skipped,
            step_ns=took,
            step_samples=step.samples,
            step_lost=step.lost,
            span_ns=recent.span_ns(),
            weight=recent.weight,
        )

    def end(self) -> bool:
        """Ends the last step at the capture's end.

        Returns False if the capture has no session.
        """
        if not self.capture.begun:
            return False
        totals = self.capture.totals
        tick = Tick(self._elapsed_ns, None, self.status.lost, self.status.skipped)
        if totals is not None:
            elapsed = max(0, totals.end_ns - self.capture.session.start_ns)
            tick = Tick(elapsed, totals.samples, totals.lost, totals.skipped or 0)
        self.end_step(tick)
        return True

    def forget(self) -> None:
        """Forgets all previous steps."""
        if self._recent is not None:
            self._recent.forget()

    def _open(self) -> Recent:
        if self._recent is None:
            recording = Recording(self.capture)
            self._recent = Recent(recording, self._options, self._warn, self._window_ns)
        return self._recent
