# SPDX-License-Identifier: MIT OR GPL-2.0
"""The interface of exports."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence

from ..analysis.inputs import Input
from ..recording import Batch
from ..symbols.location import Detail

OLD, NEW = 0, 1  # the sides of a comparison


class ExportError(Exception):
    """An export that cannot be written; the message tells the user why."""


@dataclass(frozen=True)
class Comparison:
    """Two sides to compare: the first ``old_inputs`` inputs of a job, and the others.

    ``widths``, OLD or NEW, is the side that determines the widths of boxes.
    """

    old_inputs: int
    widths: int = NEW


@dataclass
class Job:
    """The inputs, the destination and the options of an export.

    - ``target``: the name of the user's file
    - ``path``: a new file, which replaces ``target`` once the export is complete; for
      an export that ``appends``, the user's file itself, which may exist
    - ``weight``: as in analysis.weights.Weight
    - ``lacks``: the data that the format cannot store; an error if ``strict`` is set
    - ``beside``: function that creates a second file, ``target`` plus a suffix
    - ``dsn``, ``rows``: for databases
    - ``comparison``: for flame graphs
    """

    inputs: Sequence[Input]
    path: Path
    weight: str = "count"
    dsn: Optional[str] = None
    rows: str = "location"
    lacks: dict[str, None] = field(default_factory=dict)
    strict: bool = False
    beside: Optional[Callable[[str], Path]] = None
    target: Path = Path()
    comparison: Optional[Comparison] = None

    def check(self) -> None:
        """Raises ExportError if the result must not be kept.

        This is the case if a faulty input has no samples, or if the job is strict and
        the format lacks something. An export that ``appends`` must call this before it
        commits its changes.
        """
        for source in self.inputs:
            if source.recording.problems and not source.recording.samples:
                raise ExportError(f"not written: {source.file} has no readable sample")
        if self.strict and self.lacks:
            lacks = "; ".join(self.lacks)
            raise ExportError(f"not written: the format does not store {lacks}")

    def lack(self, text: str) -> None:
        """Notes something that the format cannot store; ignores repetitions."""
        self.lacks.setdefault(text)

    def batches(self, source: Input) -> Iterator[Batch]:
        """Returns the selected samples of an input."""
        return source.batches()


@dataclass(frozen=True)
class Export:
    """A format of another tool.

    ``name`` is the value of ``--to``. ``write`` writes the file; it raises ExportError,
    or PfmParseError if the input is faulty. ``detail`` says what the export needs to
    look up about addresses. An export that ``appends`` adds to an existing file.
    """

    name: str
    title: str
    write: Callable[[Job], None]
    detail: Detail = Detail.SYMBOL
    appends: bool = False
