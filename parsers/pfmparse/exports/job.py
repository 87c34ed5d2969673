# SPDX-License-Identifier: MIT OR GPL-2.0
"""What an export is, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence

from ..analysis.inputs import Input
from ..recording import Batch
from ..symbols.location import Detail


class ExportError(Exception):
    """Why an export cannot be written, in words for who wants it."""


@dataclass
class Job:
    """What to export, and where to.

    ``path`` is a file that does not exist yet, which becomes the user's once the
    export is complete; of an export that ``appends`` it is the user's own, which may
    exist. ``weight`` is as for analysis.weights.Weight. ``lacks`` collects what the
    format cannot carry, which is an error if it is ``strict``. ``beside`` gives a
    second file, whose name is the user's with something behind it. ``dsn`` and
    ``rows`` are for databases.
    """

    inputs: Sequence[Input]
    path: Path
    weight: str = "count"
    dsn: Optional[str] = None
    rows: str = "sample"
    lacks: dict[str, None] = field(default_factory=dict)
    strict: bool = False
    beside: Optional[Callable[[str], Path]] = None

    def check(self) -> None:
        """ExportError if something is lacking and must not be.

        An export that ``appends`` asks before it keeps what it has written.
        """
        if self.strict and self.lacks:
            raise ExportError(f"not written: {'; '.join(self.lacks)}")

    def lack(self, text: str) -> None:
        """Notes something that the format cannot carry; says it once."""
        self.lacks.setdefault(text)

    def batches(self, source: Input) -> Iterator[Batch]:
        """The selected samples of an input."""
        return source.batches()


@dataclass(frozen=True)
class Export:
    """A format of another tool.

    ``name`` is that of ``--to``; ``write`` makes the file, ExportError if it cannot,
    or PfmParseError if the input is the reason; ``detail`` is what has to be looked up
    about places. One that ``appends`` adds to a file that is there.
    """

    name: str
    title: str
    write: Callable[[Job], None]
    detail: Detail = Detail.SYMBOL
    appends: bool = False
