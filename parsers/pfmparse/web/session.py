# SPDX-License-Identifier: MIT OR GPL-2.0
"""The captures that a page shows."""

from __future__ import annotations

import io
import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Iterator, Optional, Sequence

from ..analysis.inputs import Input, Options, Watcher
from ..analysis.keys import detail_of
from ..analysis.row_sums import Row, Values, add, ordered
from ..analysis.weights import COUNT
from ..errors import PfmParseError
from ..exports.flame_tree import Label
from ..exports.interface import Job
from ..library import naming, usual_weight
from ..recording import Recording, open_capture
from ..symbols.location import Detail
from .cells import Cells, read
from .choice import Choice
from .code import code_of

Stamp = tuple[int, int, int]  # inode, size and time of the last change of a file


class Session:
    """Open captures and the sums of their samples; used as a context manager.

    ``generation`` increases each time that the captures are read. ``warnings`` has the
    warnings about all captures.
    """

    def __init__(
        self,
        files: Sequence[str],
        options: Options,
        weight: Optional[str] = None,
        watcher: Optional[Watcher] = None,
    ) -> None:
        """Reads the captures; raises PfmParseError or OSError if that fails.

        ``weight`` is the same as in Captures.groups().
        """
        self.files = files
        self.weight = COUNT
        self.generation = 0
        self.warnings: dict[str, None] = {}
        self._options = options
        self._asked_weight = weight
        self._watcher = watcher
        self._stack = ExitStack()
        self._stamps: Sequence[Stamp] = ()
        self._recordings: list[Recording] = []
        self.refresh()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def refresh(self) -> None:
        """Reads the captures again if one has changed since the last time."""
        stamps = [_stamp(file) for file in self.files]
        if stamps == self._stamps:
            return
        with ExitStack() as stack:
            recordings = []
            for file in self.files:
                stream = stack.enter_context(io.open(file, "rb"))
                with naming(file):
                    recordings.append(open_capture(stream))
            old = self.weight, self.warnings
            self.warnings = {}
            try:
                inputs, cells = self._read(recordings)
            except (PfmParseError, OSError):
                self.weight, self.warnings = old
                raise
            self._stack.close()
            self._stack = stack.pop_all()
        self.inputs, self.cells = inputs, cells
        self._recordings, self._stamps = recordings, stamps
        self.generation += 1

    def report(self, choice: Choice, by: str) -> list[Row]:
        """Returns the rows of a report of the selected samples by one key."""
        rows: dict[Values, Row] = {}
        for source in self._chosen(choice, detail_of([by])):
            with naming(source.file):
                add(rows, source, [by], self.weight)
        return ordered(rows)

    def code(self, choice: Choice, function: Label) -> dict[str, object]:
        """Returns the code of a function with its selected samples."""
        inputs = list(self._chosen(choice, Detail.SYMBOL))
        return code_of(inputs, function, self.weight, self._options.symbols.symfs)

    def page(self, choice: Choice) -> str:
        """Returns a page with the selected samples that works without a server."""
        from ..exports import html  # rarely needed

        inputs = list(self._chosen(choice, Detail.INLINES))
        return html.page_of(Job(inputs, Path(), self.weight))

    def _chosen(self, choice: Choice, detail: Detail) -> Iterator[Input]:
        """Yields the captures with the selected samples, to be read from the start."""
        pairs = zip(self.files, self._recordings)
        for capture, (file, recording) in enumerate(pairs):
            here = choice.on(recording, capture)
            if here is None:
                continue
            selection = here.within(self._options.selection, self.cells)
            options = Options(selection, self._options.symbols)
            with naming(file):
                yield Input(
                    file,
                    recording.reopened(),
                    options,
                    partial(self._warn, file),
                    detail,
                )

    def _read(self, recordings: Sequence[Recording]) -> tuple[list[Input], Cells]:
        """Returns the inputs and the cells.

        Raises PfmParseError if a capture is damaged and has no samples.
        """
        inputs = []
        for file, recording in zip(self.files, recordings):
            with naming(file):
                inputs.append(self._input(file, recording))
        self.weight = self._asked_weight or usual_weight(inputs)
        cells = read(inputs, self.weight)
        for source in inputs:
            if source.recording.useless:
                with naming(source.file):
                    raise source.recording.problems[0]
            for problem in source.recording.problems:
                self._warn(source.file, str(problem))
        return inputs, cells

    def _input(self, file: str, recording: Recording) -> Input:
        source = Input(
            file,
            recording.reopened(),
            self._options,
            partial(self._warn, file),
            Detail.INLINES,
            self._watcher,
        )
        if source.notice:
            self._warn(file, f"{source.notice}; use --cgroup / to select all samples")
        return source

    def _warn(self, file: str, text: str) -> None:
        self.warnings[f"{file}: {text}"] = None


def _stamp(file: str) -> Stamp:
    found = os.stat(file)
    return found.st_ino, found.st_size, found.st_mtime_ns
